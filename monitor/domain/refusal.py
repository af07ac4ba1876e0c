"""The stored result of the refusal rule (replay/refusal.py), computed once, when a call is stored."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from monitor.domain.interaction import ContentState, Status
from replay.refusal import are_refusals


class Refusal(StrEnum):
    """The stored result. NULL in the database means that an older driftd stored the call and the rule
    still has to run.
    """

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"  # the call failed, or its answer is unknown


def refusals_of(answers: Sequence[str], statuses: Iterable[str], contents: Iterable[str]) -> list[Refusal]:
    """Return whether the answer of each call refuses. An empty answer with complete texts does not."""
    return [
        _refusal(answer, status, content, refuses=refuses)
        for answer, status, content, refuses in zip(answers, statuses, contents, are_refusals(answers), strict=True)
    ]


def _refusal(answer: str, status: str, content: str, *, refuses: bool) -> Refusal:
    known = bool(answer) or content == ContentState.FULL
    if status == Status.ERROR or content == ContentState.ABSENT or not known:
        return Refusal.UNKNOWN
    return Refusal.YES if refuses else Refusal.NO
