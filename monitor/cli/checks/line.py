"""The result line of a check."""

from enum import StrEnum

from pydantic import BaseModel


class State(StrEnum):
    OK = "ok"
    WARN = "warn"  # works, or could not be tested
    FAIL = "fail"


class Line(BaseModel):
    """What was checked, the result, and what to do about it."""

    check: str
    state: State
    sentence: str


class CheckReport(BaseModel):
    """All lines; `ok` is false when one fails."""

    ok: bool
    checks: list[Line]


def ok(check: str, sentence: str) -> Line:
    return Line(check=check, state=State.OK, sentence=sentence)


def warn(check: str, sentence: str) -> Line:
    return Line(check=check, state=State.WARN, sentence=sentence)


def fail(check: str, sentence: str) -> Line:
    return Line(check=check, state=State.FAIL, sentence=sentence)


def report_of(lines: list[Line]) -> CheckReport:
    return CheckReport(ok=all(line.state is not State.FAIL for line in lines), checks=lines)
