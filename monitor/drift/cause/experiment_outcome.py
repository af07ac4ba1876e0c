"""The possible results of a step of an investigation."""

from enum import StrEnum


class StepResult(StrEnum):
    """What a step showed about the drop."""

    ALL = "all of the drop went away"
    PART = "part of the drop went away"
    STAYED = "the drop stayed"
    NO_DROP = "there is no drop"
    UNCLEAR = "the result is unclear"
    FAILED = "no answer"  # no evidence of anything

    @property
    def clear(self) -> bool:
        return self not in {StepResult.UNCLEAR, StepResult.FAILED}
