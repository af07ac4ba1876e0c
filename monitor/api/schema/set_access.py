"""The ledger of access to private sets, and what it comes to."""

from datetime import datetime

from monitor.api.schema.wire import Wire


class AccessItem(Wire):
    """`who` is a deployment that was asked, or the name of a person's token; `what` is the run, or what was shown."""

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
    shown: int
    providers: int
    people: int
    recent_calls: int
    last_at: datetime | None


class ExposureItem(Wire):
    """`over` have reached the budget, most exposed first; `replace` is the part that one rotation should take."""

    set_name: str
    revision: str
    budget: int | None
    most: int
    median: float
    shown: int
    over: list[str]
    replace: list[str]
    days_left: float | None
    providers: dict[str, int]
    cases: list[CaseExposureItem]
