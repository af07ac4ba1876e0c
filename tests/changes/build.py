"""Timelines of traffic for the tests of change detection."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from monitor.changes.detect import detect
from monitor.changes.detected import Detected, record
from monitor.changes.fingerprint import identity_of
from monitor.domain.policy import ChangePolicy
from monitor.domain.version import Change, ObservedIdentity, Version

T0 = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
POLICY = ChangePolicy(
    identity=("response_model", "prompt"),
    min_interactions=20,
    takeover_share=0.8,
    fingerprint_alpha=0.001,
    fingerprint_distance=0.5,
)


def digest(model: str, prompt: str = "p@1") -> str:
    prompt_id, _, version = prompt.partition("@")
    identity = identity_of(POLICY.identity, response_model=model, prompt_id=prompt_id, prompt_version=version)
    assert identity is not None
    return identity.digest


def traffic(*served: Iterable[str], start: int = 0) -> list[ObservedIdentity]:
    """Interactions a second apart, oldest first: "A" is a model, "A/f1" a model and its fingerprint."""
    words = [word for part in served for word in part]
    return [seen(word, start + position) for position, word in enumerate(words)]


def seen(word: str, second: int) -> ObservedIdentity:
    model, _, fingerprint = word.partition("/")
    return ObservedIdentity(
        interaction_id=f"i{second:06}",
        identity=digest(model),
        started_at=T0 + timedelta(seconds=second),
        system_fingerprint=fingerprint or None,
        response_model=model,
        prompt_id="p",
        prompt_version="1",
    )


def at(second: int) -> datetime:
    return T0 + timedelta(seconds=second)


@dataclass
class Book:
    """What the store holds of one deployment, as the daemon would write it."""

    versions: list[Version] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    looks: int = 0

    @property
    def current(self) -> str | None:
        newest = max(self.changes, key=lambda change: change.noted_at, default=None)
        return newest.to_version if newest else None

    def look(self, oldest_first: Sequence[ObservedIdentity], policy: ChangePolicy = POLICY) -> list[Detected]:
        """Detect and record."""
        window = list(reversed(oldest_first))
        found = detect(window, self.versions, self.current, policy, self.changes)
        self.looks += 1
        ids = (f"change-{self.looks}-{n}" for n in range(1000))
        noted_at = T0 + timedelta(days=1, seconds=self.looks)
        rows = record(found, deployment="support", noted_at=noted_at, new_id=lambda: next(ids))
        self.versions.extend(rows.versions)
        self.changes.extend(rows.changes)
        return found

    def follow(self, oldest_first: Sequence[ObservedIdentity], window: int = 200, every: int = 7) -> None:
        """Look again and again while the traffic comes in, as the loop does."""
        for end in range(every, len(oldest_first) + every, every):
            self.look(oldest_first[max(0, min(end, len(oldest_first)) - window) : end])

    @property
    def steps(self) -> list[tuple[str | None, str]]:
        return [(change.from_version, change.to_version) for change in self.changes]


def without_identity(one: ObservedIdentity) -> ObservedIdentity:
    return replace(one, identity=None, response_model=None)
