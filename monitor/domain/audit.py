"""The audit log: who did what. Each entry contains the hash of the entry before it."""

import hashlib
import json
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

LONGEST_TEXT: Final = 200
FIRST_HASH: Final = "0" * 64  # what the first entry continues


class AuditKind(StrEnum):
    WRITE = "write"  # a request that changed data, or that made driftd act
    REFUSED = "refused"  # requests to write or to reveal that failed, counted for each minute
    LOGIN = "login"  # the first request of a sender from an address within an hour, or a login in a browser
    LOGIN_FAILED = "login_failed"  # requests with an unknown token, counted for each address and minute
    INGEST = "ingest"  # authorized requests with telemetry, counted for each sender, address and hour
    REVEAL = "reveal"  # sealed texts were shown
    EXPORT = "export"  # a set was exported with all texts
    READ = "read"  # requests that returned texts of users or replies, counted for each sender, address and hour
    CHECKPOINT = "checkpoint"  # older entries were removed: `object_id` is the last removed number and its hash
    ACKNOWLEDGED = "acknowledged"  # a person accepted breaks of the chain: `object_id` has their numbers, from-to


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What happened. It has identifiers only: no bodies, no secrets and no texts of users or cases.

    `operation` is the method with the path template of the route. `status` is that of the response. `count` is the
    number of requests that the entry represents. `address` is the network address of the sender.
    """

    at: datetime
    kind: AuditKind
    operation: str
    principal: str | None = None
    deployment: str | None = None
    object_id: str | None = None
    status: int | None = None
    count: int = 1
    address: str | None = None
    request_id: str | None = None

    def cleaned(self) -> "Action":
        """Return the action with texts that are stored unchanged: printable, and at most 200 characters long."""
        texts = {f.name: value for f in fields(self) if isinstance(value := getattr(self, f.name), str)}
        del texts["kind"]
        return replace(self, at=self.at.astimezone(UTC), **{name: _clean(text) for name, text in texts.items()})  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The newest entry of a chain, or any other entry of it: its number and its hash."""

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


START: Final = Head(number=0, hash=FIRST_HASH)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """An action in the chain. `hash` is the SHA-256 of the previous hash, the number and the action."""

    number: int
    action: Action
    previous: str
    hash: str

    @property
    def head(self) -> Head:
        return Head(number=self.number, hash=self.hash)


def linked(action: Action, after: Head) -> AuditEntry:
    """Return the entry of an action that follows `after`."""
    action, number = action.cleaned(), after.number + 1
    return AuditEntry(number=number, action=action, previous=after.hash, hash=digest(number, action, after.hash))


def digest(number: int, action: Action, previous: str) -> str:
    """Return the hash of an entry: SHA-256 of the previous hash, a line feed, and the entry as canonical JSON.

    Canonical JSON has sorted keys, no spaces, ASCII only, and times in UTC with microseconds.
    """
    at = action.at.astimezone(UTC).isoformat(timespec="microseconds")
    values = asdict(action) | {"at": at, "kind": action.kind.value, "number": number}
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()


def head_of(text: str) -> Head | None:
    """Return the head in a text such as `17:9f86d0...`; None for another text."""
    number, _, found = text.strip().partition(":")
    is_hash = len(found) == len(FIRST_HASH) and set(found) <= set("0123456789abcdef")
    if not is_hash or not number.isascii() or not number.isdecimal() or len(number) > 18:
        return None
    return Head(number=int(number), hash=found)


def _clean(text: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in text[:LONGEST_TEXT])
