"""The access log and the exposure of private sets."""

from datetime import datetime

from monitor.api.schema.wire import Wire


class AccessItem(Wire):
    """An entry of the access log. `who` is a deployment or the name of a token; `what` is the run or the revealed
    content.
    """

    at: datetime
    kind: str
    who: str
    what: str
    revision: str
    provider: str | None
    model: str | None
    cases: int
    calls: int


class CaseExposureItem(Wire):
    case_id: str
    category: str
    severity: str
    calls: int
    reveals: int
    providers: int
    people: int
    recent_calls: int
    last_at: datetime | None


class ExposureItem(Wire):
    """Exposure of a set. `over_budget`: cases that reached the budget, the most exposed first; `to_replace`: those for
    the next rotation.
    """

    set_name: str
    revision: str
    budget: int | None
    max_exposure: int
    median: float
    revealed_cases: int
    over_budget: list[str]
    to_replace: list[str]
    days_left: float | None
    providers: dict[str, int]
    cases: list[CaseExposureItem]
