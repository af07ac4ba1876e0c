"""How a judge developed: its agreement with people, its sentinels, and its events."""

from datetime import datetime

from monitor.api.schema.judging import EstimateItem
from monitor.api.schema.wire import Wire


class CalibrationPointItem(Wire):
    """The agreement of a judge with people after all reviews until `at`. `kappa` and `agreement` are null while they
    cannot be computed.
    """

    at: datetime
    reviewed: int
    agreement: EstimateItem | None
    kappa: EstimateItem | None


class JudgeCalibrationItem(Wire):
    """One judge of the scorer: a model with a prompt and a rubric. Reviews of another judge do not count for it."""

    model: str | None
    prompt: str | None
    rubric: str | None
    is_current: bool
    newest: datetime
    points: list[CalibrationPointItem]


class SentinelRoundItem(Wire):
    """A round of the current judge on its sentinels: `agrees` with people, `fell` and `rose` against the reference."""

    at: datetime
    judged: int
    agrees: int
    fell: int
    rose: int


class JudgeEventItem(Wire):
    """A judge `drifted`, or a person `accepted` how it judges now."""

    at: datetime
    kind: str
    who: str
    reason: str
    model: str | None
    is_current: bool


class JudgeHistoryItem(Wire):
    """The history of the judges of a scorer, the current judge first.

    A judge is validated with `needed_reviews` reviews, `needed_each` of good and of bad outcomes, and a lower end of
    kappa of at least `needed_kappa`.
    """

    deployment: str
    set_name: str
    scorer: str
    needed_reviews: int
    needed_each: int
    needed_kappa: float
    judges: list[JudgeCalibrationItem]
    rounds: list[SentinelRoundItem]
    events: list[JudgeEventItem]
