"""The combined diagnosis of the frozen and dynamic sets of a deployment."""

from datetime import datetime
from typing import Literal

from monitor.api.schema.wire import Wire


class SetVerdictItem(Wire):
    """The newest verdict of a set; the fields are null for a set without a verdict."""

    set_name: str
    verdict: Literal["ok", "regression", "improvement", "insufficient", "failed"] | None
    finding_id: str | None
    at: datetime | None
    baseline: float | None
    candidate: float | None


class CorrectionsItem(Wire):
    """Corrections per interaction in the last `days` complete days and in the `days_before` before them, with the 95 %
    interval of the difference. `fell` is null with too few data.
    """

    days: int
    days_before: int
    before: float
    after: float
    ci_low: float
    ci_high: float
    fell: bool | None


class SetDiagnosisItem(Wire):
    """Verdicts of the frozen and dynamic sets; `sentence` explains their combination. `corrections` is null with too
    few days of traffic or without corrections.
    """

    deployment: str
    frozen: list[SetVerdictItem]
    dynamic: list[SetVerdictItem]
    diagnosis: Literal[
        "worse",
        "old_skill_lost",
        "world_moved",
        "better",
        "overfitted",
        "frozen_only_better",
        "learned_from_production",
        "traded",
        "taught_to_the_frozen_set",
        "steady",
        "one_set_only",
        "no_answer",
    ]
    sentence: str
    corrections: CorrectionsItem | None
