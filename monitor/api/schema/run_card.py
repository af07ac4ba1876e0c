"""A run card: one run with everything that says what it is worth."""

from monitor.api.schema.runs import RunItem
from monitor.api.schema.wire import Wire


class StratumItem(Wire):
    """The cases of one category and severity; `low` and `high` are Wilson's 95 % interval of the pass rate, null while
    nothing is scored.
    """

    category: str
    severity: str
    cases: int
    scored: int
    passed: int
    low: float | None
    high: float | None


class StratumFailuresItem(Wire):
    failure_category: str
    category: str
    severity: str
    cases: int


class RunFindingItem(Wire):
    """What was concluded of the run."""

    id: str
    verdict: str
    severity: str
    reason: str


class RunCard(Wire):
    run: RunItem
    low: float | None
    high: float | None
    strata: list[StratumItem]
    failures: list[StratumFailuresItem]
    findings: list[RunFindingItem]
