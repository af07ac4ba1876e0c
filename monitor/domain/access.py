"""Who or what has seen sealed cases: the ledger's entries, and what they come to for one case."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """Under which name cases leave for a model: every call is an exposure, a failed one too."""

    kind: str  # "replay", or "attribution" for what explaining an alarm asks
    deployment: str
    set_name: str
    revision: str
    run_id: str
    provider: str  # host and port of the endpoint, or the kind of a target that has none
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessEntry:
    """One line of the ledger: a run, or a reveal to a person. `calls` counts attempts of a run, 1 a case shown."""

    at: datetime
    kind: str
    who: str
    what: str
    revision: str
    provider: str | None
    model: str | None
    cases: int
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseExposure:
    """What a case of the current revision has been through, in whatever revision its content stood.

    `recent_calls` are those of the `recent_days` before the reading. `providers` counts different endpoints,
    `people` different names it was revealed to.
    """

    case_id: str
    category: str
    severity: str
    calls: int
    shown: int
    providers: int
    people: int
    recent_calls: int
    last_at: datetime | None
