"""The claim that a driftd stores with the committed offsets of its group, so that two readers of the same partitions
detect each other. Pure decisions; monitor/ingest/kafka/consumer_group.py calls the broker.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from monitor.printable import printable

SILENT_BEATS = 2.5  # a reader whose claim did not change for this many of its intervals has ended
SILENT_S = 2.0  # plus this time for a commit
KEY = "driftd"
HOST_CHARS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One start of one source. `beat` grows every `every_s` seconds while it reads. `left` means that it has ended.

    `database` identifies the database file of its rows: a daemon that restarts on the same file is not a second reader.
    """

    instance: str
    database: str
    host: str
    since: datetime
    every_s: float
    beat: int = 0
    left: bool = False

    def __str__(self) -> str:
        return f"driftd on {printable(self.host)}, started {self.since:%Y-%m-%d %H:%M:%S} UTC"

    @property
    def silent_after_s(self) -> float:
        return SILENT_BEATS * self.every_s + SILENT_S

    def is_older_than(self, other: "Claim") -> bool:
        return (self.since, self.instance) < (other.since, other.instance)

    def text(self) -> str:
        """Return the metadata of a committed offset; a broker takes 4,096 bytes of it by default."""
        return json.dumps(
            {
                KEY: self.instance,
                "database": self.database,
                "host": self.host[:HOST_CHARS],
                "since": self.since.isoformat(),
                "every_s": self.every_s,
                "beat": self.beat,
                "left": self.left,
            }
        )


def read_claim(metadata: str | None) -> Claim | None:
    """Return the claim in the metadata of a committed offset; None when something else wrote it.

    >>> read_claim("") is None and read_claim('{"driftd": 1}') is None
    True
    """
    try:
        found = json.loads(metadata or "")
        since = datetime.fromisoformat(found["since"])
        return Claim(
            instance=str(found[KEY]),
            database=str(found["database"]),
            host=str(found["host"])[:HOST_CHARS],
            since=since if since.tzinfo else since.replace(tzinfo=UTC),
            every_s=min(3600.0, max(0.0, float(found["every_s"]))),
            beat=int(found["beat"]),
            left=bool(found["left"]),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


@dataclass(slots=True, kw_only=True)
class _Sighting:
    beat: int
    at_s: float
    alive: bool  # its beat changed during our checks


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """`by` may be reading; `alive` means that it is known to be."""

    by: Claim
    alive: bool


class Rivals:
    """Decides whether a source may read. Callers pass times in monotonic seconds."""

    def __init__(self, own: Claim) -> None:
        self._own = own
        self._sightings: dict[str, _Sighting] = {}

    def blocks(self, claims: Iterable[Claim], now_s: float) -> Blocked | None:
        """Return the reader that must end before this one starts, or None. A reader whose beat stopped for long has
        ended.

        A claim of our own database counts only when it is known to be alive: a killed daemon leaves such a claim.
        """
        blocked: Blocked | None = None
        for claim in self._others(claims):
            sighting = self._note(claim, now_s)
            if claim.database == self._own.database and not sighting.alive:
                continue
            if now_s - sighting.at_s <= claim.silent_after_s and (blocked is None or sighting.alive):
                blocked = Blocked(by=claim, alive=sighting.alive)
        return blocked

    def overwritten_by(self, claims: Iterable[Claim], now_s: float) -> Claim | None:
        """Return the claim of the oldest other reader on partitions that had our claim, or None."""
        found = list(self._others(claims))
        for claim in found:
            self._sightings[claim.instance] = _Sighting(beat=claim.beat, at_s=now_s, alive=True)
        return min(found, key=lambda claim: (claim.since, claim.instance), default=None)

    def _others(self, claims: Iterable[Claim]) -> list[Claim]:
        found = {claim.instance: claim for claim in claims if not claim.left}
        return [claim for instance, claim in found.items() if instance != self._own.instance]

    def _note(self, claim: Claim, now_s: float) -> _Sighting:
        sighting = self._sightings.get(claim.instance)
        if sighting is None:
            sighting = self._sightings[claim.instance] = _Sighting(beat=claim.beat, at_s=now_s, alive=False)
        elif sighting.beat != claim.beat:
            sighting.beat, sighting.at_s, sighting.alive = claim.beat, now_s, True
        return sighting
