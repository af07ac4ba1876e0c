"""What an alarm is blamed on, and how that was found out."""

from monitor.api.schema.wire import Wire


class TriedStepItem(Wire):
    """A step that was taken; `bits` is the information that was expected of it."""

    step: str
    showing: str
    says: str
    bits: float
    calls: int
    usd: float


class UntriedStepItem(Wire):
    step: str
    why: str


class RankedCauseItem(Wire):
    """`suspect` null: nothing made a drop, the alarm was false. Two suspects can act at once."""

    suspect: str | None
    probability: float


class CauseItem(Wire):
    """Of the finding that opens an alert. `named` made the drop together; empty where nothing did, null when it is not
    identifiable: then `why` says what would tell. `calls` and `usd` were spent on it.
    """

    named: list[str] | None
    probability: float
    why: str
    differs: list[str]
    causes: list[RankedCauseItem]
    tried: list[TriedStepItem]
    not_tried: list[UntriedStepItem]
    calls: int
    usd: float
