"""What an alarm is blamed on, and how that was found out."""

from monitor.api.schema.wire import Wire


class TriedStepItem(Wire):
    """A step that was taken; `bits` is the information that was expected of it."""

    step: str
    result: str
    detail: str
    bits: float
    calls: int
    usd: float


class UntriedStepItem(Wire):
    step: str
    why: str


class RankedCauseItem(Wire):
    """`suspect` null: nothing made a drop, the alarm was false. Two suspects can act at once. `probability` null: no
    replay tells the suspects apart.
    """

    suspect: str | None
    probability: float | None


class CauseItem(Wire):
    """Of the finding that opens an alert. `named` made the drop together; empty where nothing did, null when it is not
    identifiable: then `why` says what would tell. `calls` and `usd` were spent on it. `confirmed` false: the records
    alone name it, no counterfactual of it ran, and `probability` is null. `statement` is the sentence to show.
    """

    named: list[str] | None
    probability: float | None
    why: str
    differences: list[str]
    causes: list[RankedCauseItem]
    tried: list[TriedStepItem]
    not_tried: list[UntriedStepItem]
    calls: int
    usd: float
    confirmed: bool = False
    statement: str = ""
