"""Eval sets as the daemon keeps them; the case itself is replay/types.py's."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from replay.types import Severity


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """Ids of the cases that `entered`, `left` (with why) or were `replaced` by other content; `carried` of the `cases`
    were there before. `kept_out` counts accepted cases that did not come in, by reason.
    """

    set_name: str
    revision: str
    parent: str | None
    at: datetime
    cases: int
    carried: int
    entered: tuple[str, ...]
    left: Mapping[str, str]
    replaced: tuple[str, ...]
    kept_out: Mapping[str, int]


class SetKind(StrEnum):
    FROZEN = "frozen"
    DYNAMIC = "dynamic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One immutable content of a set; `revision` is its SHA-256. The newest row of a name is the current one."""

    name: str
    kind: SetKind
    revision: str
    created_at: datetime
    cases: int
    sealed: bool
    canary: str
    parent: str | None = None
    origin: str = ""  # the file it was imported from, or "corrections"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseKey:
    """What a case is about, and where it stands in its revision; nothing of what it asks."""

    position: int
    id: str
    category: str
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCase:
    """A case at rest: `content` is canonical JSON, encrypted when the set is sealed.

    The macs are digests, keyed when sealed: `content_mac` is equal for equal content (pairing across revisions
    demands it), `input_mac` is that of the last user message and recognises a sealed question without revealing it.
    """

    set_name: str
    revision: str
    position: int
    case_id: str
    category: str
    severity: str
    content: bytes
    content_mac: str
    input_mac: str
