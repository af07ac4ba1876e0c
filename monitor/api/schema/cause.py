"""The cause of an alert, and the experiments that identified it."""

from monitor.api.schema.wire import Wire


class TriedStepItem(Wire):
    """A completed experiment; `bits` is the expected information gain."""

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
    """A possible cause. `suspect` null: no real drop, the alarm is false. Two suspects can act together. `probability`
    null: no replay distinguishes the suspects.
    """

    suspect: str | None
    probability: float | None


class CauseItem(Wire):
    """The cause of the finding that opens an alert. `named` lists the suspects that caused the drop together: empty for
    a false alarm, null if the cause is not identifiable; then `why` describes what would identify it. `calls` and
    `usd` are the cost of the investigation. `confirmed` false: only the records name the cause, no counterfactual
    replay ran, and `probability` is null. `statement` is the text for people.
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
