"""One line of what `driftd check` says."""

from enum import StrEnum

from pydantic import BaseModel


class State(StrEnum):
    OK = "ok"
    WARN = "warn"  # works, or could not be tried
    FAIL = "fail"


class Line(BaseModel):
    """What was tried, how it stands, and what to do about it."""

    check: str
    state: State
    sentence: str


class CheckReport(BaseModel):
    """`ok` is false when a line fails."""

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
