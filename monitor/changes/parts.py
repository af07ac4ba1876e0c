"""Which replies of one run came from which version: a run during which the version changed is no run of one version."""

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
    """Outcomes of one version, at least one of them a reply. `shift` is what tells it from the part of the same version
    before it: the system fingerprint has shifted.
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
        """Replies by reported model."""
        found: dict[str, int] = {}
        for outcome in self.outcomes:
            if outcome.reply is not None and outcome.reply.model is not None:
                found[outcome.reply.model] = found.get(outcome.reply.model, 0) + 1
        return found


def parts_of(outcomes: Sequence[Outcome], identity_of: IdentityOf, policy: ChangePolicy) -> list[Part]:
    """The run in parts, each of one version, in the order in which they began; one part when nothing changed.

    1. Replies go by their identity, whether the versions took turns (a canary) or one followed the other.
    2. Of one version, the system fingerprint may shift as it may in traffic (`shift_of`): then what came before and
       what came after are two parts. Backends that take turns are no shift.
    3. What tells no identity (a failure, a reply without a model) goes with the reply that began last before it, or
       with the first.
    """
    timeline = sorted(outcomes, key=lambda each: (each.started_at, each.case_id, each.sample))
    told = [(each, identity_of(each.reply.model)) for each in timeline if each.reply is not None]
    known = [(each, identity) for each, identity in told if identity is not None]
    if not known:
        return [Part(identity=None, outcomes=tuple(timeline), began_at=timeline[0].started_at)] if timeline else []
    groups: dict[str, list[Outcome]] = {}
    identities = {identity.digest: identity for _, identity in known}
    for each, identity in known:
        groups.setdefault(identity.digest, []).append(each)
    cut = [part for digest, own in groups.items() for part in _by_backend(own, identities[digest], policy)]
    cut.sort(key=lambda part: part.began_at)
    return _with_the_rest(cut, timeline) if len(cut) > 1 else [_whole(cut[0], timeline)]


def _by_backend(
    own: list[Outcome], identity: Identity, policy: ChangePolicy, shift: Mapping[str, Any] | None = None
) -> list[Part]:
    """The replies of one version, cut where its fingerprint shifted."""
    named = [(each, each.reply.system_fingerprint) for each in own if each.reply and each.reply.system_fingerprint]
    found = shift_of([str(fingerprint) for _, fingerprint in named], policy)
    if found is None:
        return [Part(identity=identity, outcomes=tuple(own), began_at=own[0].started_at, shift=shift)]
    at = own.index(named[found.reference][0])
    evidence = {
        "fingerprints_before": found.before,
        "fingerprints": found.after,
        "distance": found.distance,
        "p_value": found.p_value,
    }
    before = Part(identity=identity, outcomes=tuple(own[:at]), began_at=own[0].started_at, shift=shift)
    return [before, *_by_backend(own[at:], identity, policy, evidence)]


def _with_the_rest(parts: Sequence[Part], timeline: Sequence[Outcome]) -> list[Part]:
    """Every outcome in one part: those that belong to none yet go with the reply that began last before them."""
    place = {_key(each): number for number, part in enumerate(parts) for each in part.outcomes}
    placed = [each for each in timeline if _key(each) in place]
    starts = [each.started_at for each in placed]
    owned: list[list[Outcome]] = [[] for _ in parts]
    for each in timeline:
        last = placed[max(0, bisect_right(starts, each.started_at) - 1)]
        owned[place[_key(each)] if _key(each) in place else place[_key(last)]].append(each)
    return [_whole(part, own) for part, own in zip(parts, owned, strict=True)]


def _whole(part: Part, outcomes: Sequence[Outcome]) -> Part:
    return Part(identity=part.identity, outcomes=tuple(outcomes), began_at=part.began_at, shift=part.shift)


def _key(outcome: Outcome) -> tuple[str, int]:
    return outcome.case_id, outcome.sample
