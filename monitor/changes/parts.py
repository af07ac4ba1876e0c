"""Splits a run during which the version changed: which replies came from which version."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from monitor.changes.backends import shift_of
from monitor.changes.fingerprint import Identity
from monitor.domain.policy import ChangePolicy
from replay.types import Outcome

IdentityOf = Callable[[str | None], Identity | None]  # by reported model


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The outcomes of one version, at least one of them a reply.

    `outcomes` are in the order in which they began, `began_at` is the time of the first reply. `shift` is set when the
    part differs from an earlier part of the same version by its system fingerprint only.
    """

    identity: Identity | None
    outcomes: tuple[Outcome, ...]  # in the order in which they began
    began_at: datetime  # its first reply
    shift: Mapping[str, Any] | None = None

    @property
    def replies(self) -> int:
        return sum(outcome.reply is not None for outcome in self.outcomes)

    @property
    def cases(self) -> int:
        return len({outcome.case_id for outcome in self.outcomes})

    @property
    def models(self) -> dict[str, int]:
        """The number of replies by reported model."""
        found: dict[str, int] = {}
        for outcome in self.outcomes:
            if outcome.reply is not None and outcome.reply.model is not None:
                found[outcome.reply.model] = found.get(outcome.reply.model, 0) + 1
        return found


def parts_of(outcomes: Sequence[Outcome], identity_of: IdentityOf, policy: ChangePolicy) -> list[Part]:
    """Return the run in parts of one version each, in the order in which they began; one part when nothing changed.

    1. Replies are grouped by identity, whether versions alternated (a canary) or one followed the other.
    2. Within a version, the system fingerprint may shift as in traffic (`shift_of`): then the replies before and after
       are two parts. Alternating backends are not a shift.
    3. An outcome without identity (a failure, a reply without a model) belongs to the part of the last reply that began
       before it, or to the first part.
    """
    timeline = sorted(outcomes, key=lambda outcome: (outcome.started_at, outcome.case_id, outcome.sample))
    identified = [(outcome, identity_of(outcome.reply.model)) for outcome in timeline if outcome.reply is not None]
    known = [(outcome, identity) for outcome, identity in identified if identity is not None]
    if not known:
        return [Part(identity=None, outcomes=tuple(timeline), began_at=timeline[0].started_at)] if timeline else []
    groups: dict[str, list[Outcome]] = {}
    identities = {identity.digest: identity for _, identity in known}
    for outcome, identity in known:
        groups.setdefault(identity.digest, []).append(outcome)
    parts = [
        part
        for digest, replies_of_version in groups.items()
        for part in _by_backend(replies_of_version, identities[digest], policy)
    ]
    parts.sort(key=lambda part: part.began_at)
    return _assign_rest(parts, timeline) if len(parts) > 1 else [_with_outcomes(parts[0], timeline)]


def _by_backend(
    replies_of_version: list[Outcome], identity: Identity, policy: ChangePolicy, shift: Mapping[str, Any] | None = None
) -> list[Part]:
    """Return the replies of one version, cut where its fingerprint shifted."""
    with_fingerprint = [
        (outcome, outcome.reply.system_fingerprint)
        for outcome in replies_of_version
        if outcome.reply and outcome.reply.system_fingerprint
    ]
    found = shift_of([str(fingerprint) for _, fingerprint in with_fingerprint], policy)
    if found is None:
        return [
            Part(
                identity=identity,
                outcomes=tuple(replies_of_version),
                began_at=replies_of_version[0].started_at,
                shift=shift,
            )
        ]
    at = replies_of_version.index(with_fingerprint[found.reference][0])
    evidence = {
        "fingerprints_before": found.before,
        "fingerprints": found.after,
        "distance": found.distance,
        "p_value": found.p_value,
    }
    before = Part(
        identity=identity,
        outcomes=tuple(replies_of_version[:at]),
        began_at=replies_of_version[0].started_at,
        shift=shift,
    )
    return [before, *_by_backend(replies_of_version[at:], identity, policy, evidence)]


def _assign_rest(parts: Sequence[Part], timeline: Sequence[Outcome]) -> list[Part]:
    """Assign every outcome to one part: an outcome without identity to the part of the last reply that began
    before it.
    """
    part_of = {_key(outcome): number for number, part in enumerate(parts) for outcome in part.outcomes}
    assigned = [outcome for outcome in timeline if _key(outcome) in part_of]
    starts = [outcome.started_at for outcome in assigned]
    outcomes_of_part: list[list[Outcome]] = [[] for _ in parts]
    for outcome in timeline:
        last = assigned[max(0, bisect_right(starts, outcome.started_at) - 1)]
        outcomes_of_part[part_of[_key(outcome)] if _key(outcome) in part_of else part_of[_key(last)]].append(outcome)
    return [
        _with_outcomes(part, replies_of_version)
        for part, replies_of_version in zip(parts, outcomes_of_part, strict=True)
    ]


def _with_outcomes(part: Part, outcomes: Sequence[Outcome]) -> Part:
    return Part(identity=part.identity, outcomes=tuple(outcomes), began_at=part.began_at, shift=part.shift)


def _key(outcome: Outcome) -> tuple[str, int]:
    return outcome.case_id, outcome.sample
