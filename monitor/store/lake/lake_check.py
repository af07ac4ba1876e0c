"""The result of a check of a lake."""

from dataclasses import dataclass
from enum import StrEnum


class LakeState(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class LakeCheck:
    """What was checked, the result, and what to do about it."""

    check: str
    state: LakeState
    sentence: str


def passed(check: str, sentence: str) -> LakeCheck:
    return LakeCheck(check=check, state=LakeState.OK, sentence=sentence)


def warned(check: str, sentence: str) -> LakeCheck:
    return LakeCheck(check=check, state=LakeState.WARN, sentence=sentence)


def failed(check: str, sentence: str) -> LakeCheck:
    return LakeCheck(check=check, state=LakeState.FAIL, sentence=sentence)
