"""Eval sets as the daemon keeps them; the case itself is replay/types.py's."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from replay.types import Severity


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
