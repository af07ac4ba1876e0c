"""What the frozen and the dynamic sets of a deployment say together."""

from datetime import datetime
from typing import Literal

from monitor.api.schema.wire import Wire


class SetVerdictItem(Wire):
    """What a set was last found to show; verdict and the rest are null where it was never judged."""

    set_name: str
    verdict: Literal["ok", "regression", "improvement", "insufficient", "failed"] | None
    finding_id: str | None
    at: datetime | None
    baseline: float | None
    candidate: float | None


class CorrectionsItem(Wire):
    """Users' corrections an interaction in the newest `days` whole days, and in the `days_before` before them; the
    interval is that of the difference at 95 %. `fell` null: it cannot be said.
    """

    days: int
    days_before: int
    before: float
    after: float
    ci_low: float
    ci_high: float
    fell: bool | None


class SetDiagnosisItem(Wire):
    """Frozen and dynamic sets side by side: `sentence` says what neither says alone. `corrections` is null where there
    are too few days of traffic, or nobody corrects.
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
