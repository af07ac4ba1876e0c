"""Changes that nobody announced: what the newest traffic says about who serves it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from monitor.changes.backends import backend_shifts
from monitor.changes.detected import Detected
from monitor.changes.fingerprint import Identity, identity_of
from monitor.changes.kind import differing, kind_of
from monitor.changes.shift import find_shift
from monitor.domain.policy import ChangePolicy
from monitor.domain.version import Change, ChangeKind, ObservedIdentity, Version

Timeline = list[ObservedIdentity]  # oldest first


@dataclass(frozen=True, slots=True, kw_only=True)
class _Belief:
    """What is held to be true while looking: who is current, since when, and every known version's fields."""

    current: str | None
    since: datetime | None
    fields: Mapping[str, Mapping[str, str]]


def detect(
    window: Sequence[ObservedIdentity],
    known: Sequence[Version],
    current: str | None,
    policy: ChangePolicy,
    noted: Sequence[Change] = (),
) -> list[Detected]:
    """What the newest interactions (newest first) show that `known` and `noted` do not hold yet, in order of effect.

    1. An identity not known yet with `min_interactions` is a version, and a change to it from the current one; the
       very first is a version alone, and so is one last seen before the current one began (history that came late).
    2. A known version whose share has risen to `takeover_share` since the current one began is current again. A
       canary at a steady share, or an old version still draining, has not risen and is no change.
    3. The current version's system fingerprints may shift (`backend_shifts`): a change from it to itself.

    Recording what is returned and looking at the same window again finds nothing. Without a `current` the version
    first seen last is taken for it: the first version comes without a change that could name it.
    """
    timeline = sorted((s for s in window if s.identity is not None), key=lambda s: (s.started_at, s.interaction_id))
    belief = _belief(known, current, noted)
    found: list[Detected] = []
    for identity in _new_identities(timeline, belief, policy):
        one = _appeared(timeline, identity, belief)
        found.append(one)
        belief = _after(belief, one)
    while (one_back := _returned(timeline, belief, policy)) is not None:
        found.append(one_back)
        belief = _after(belief, one_back)
    own = [seen for seen in timeline if seen.identity == belief.current]
    return [*found, *backend_shifts(own, policy, noted)]


def _belief(known: Sequence[Version], current: str | None, noted: Sequence[Change]) -> _Belief:
    first_seen = {version.id: version.first_seen for version in known}
    if current is None and known:
        current = max(known, key=lambda version: version.first_seen).id
    steps = [change for change in noted if change.to_version == current != change.from_version]
    newest = max(steps, key=lambda change: change.noted_at, default=None)
    since = newest.at if newest else first_seen.get(current or "")
    return _Belief(current=current, since=since, fields={version.id: version.identity for version in known})


def _after(belief: _Belief, one: Detected) -> _Belief:
    """The belief once `one` is recorded."""
    fields = belief.fields if one.identity is None else {**belief.fields, one.to_version: one.identity.fields}
    if belief.current is not None and one.from_version is None:
        return replace(belief, fields=fields)
    return _Belief(current=one.to_version, since=one.at, fields=fields)


def _new_identities(timeline: Timeline, belief: _Belief, policy: ChangePolicy) -> list[Identity]:
    """Identities seen often enough and not known, in the order of their first interaction."""
    counts = Counter(seen.identity for seen in timeline)  # keeps the order of first sight
    first = {seen.identity: seen for seen in reversed(timeline)}
    frequent = [d for d, n in counts.items() if n >= policy.min_interactions and d not in belief.fields]
    made = (_identity(first[digest], policy) for digest in frequent)
    return [identity for identity in made if identity is not None]


def _identity(seen: ObservedIdentity, policy: ChangePolicy) -> Identity | None:
    """The identity behind a stored digest; None when it was stored under other identity fields than today's."""
    made = identity_of(
        policy.identity,
        response_model=seen.response_model,
        request_model=seen.request_model,
        prompt_id=seen.prompt_id,
        prompt_version=seen.prompt_version,
        prompt_hash=seen.prompt_hash,
    )
    return made if made is not None and made.digest == seen.identity else None


def _appeared(timeline: Timeline, identity: Identity, belief: _Belief) -> Detected:
    own = [seen for seen in timeline if seen.identity == identity.digest]
    late = belief.since is not None and own[-1].started_at < belief.since
    came_from = None if late else belief.current
    before = belief.fields.get(came_from or "", {})
    return Detected(
        to_version=identity.digest,
        at=own[0].started_at,
        kind=kind_of(before, identity.fields) if came_from else ChangeKind.UNKNOWN,
        identity=identity,
        from_version=came_from,
        evidence={
            "interactions": len(own),
            "window": len(timeline),
            "share": len(own) / len(timeline),
            "first_interaction": own[0].interaction_id,
            "fingerprints": _tally(own, "system_fingerprint"),
            "request_models": _tally(own, "request_model"),
            "differs": list(differing(before, identity.fields)) if came_from else [],
            "served_since": _tally([s for s in timeline if s.started_at >= own[0].started_at], "identity"),
        },
    )


def _returned(timeline: Timeline, belief: _Belief, policy: ChangePolicy) -> Detected | None:
    """A known version that has taken over from the current one, if there is one."""
    began = belief.since
    since = [seen for seen in timeline if began is None or seen.started_at >= began]
    labels = [str(seen.identity) for seen in since]
    for version, _ in Counter(labels).most_common():
        if version not in belief.fields or version == belief.current:
            continue
        shift = find_shift(
            ["yes" if label == version else "no" for label in labels],
            min_part=policy.min_interactions,
            alpha=policy.fingerprint_alpha,
            distance=0.0,
            rising="yes",
            rising_to=policy.takeover_share,
        )
        if shift is None:
            continue
        recent = since[shift.reference :]
        one = _back(recent, version, belief, shift.p_value)
        if began is None or one.at > began:  # equal instants cannot be told apart; later traffic will
            return one
    return None


def _back(recent: Timeline, version: str, belief: _Belief, p_value: float) -> Detected:
    own = [seen for seen in recent if seen.identity == version]
    before = belief.fields.get(belief.current or "", {})
    return Detected(
        to_version=version,
        at=own[0].started_at,
        kind=kind_of(before, belief.fields[version]),
        from_version=belief.current,
        evidence={
            "returned": True,
            "interactions": len(own),
            "window": len(recent),
            "share": len(own) / len(recent),
            "first_interaction": own[0].interaction_id,
            "fingerprints": _tally(own, "system_fingerprint"),
            "differs": list(differing(before, belief.fields[version])),
            "served_since": _tally(recent, "identity"),
            "p_value": p_value,
        },
    )


def _tally(seen: Sequence[ObservedIdentity], name: str) -> dict[str, Any]:
    counts = Counter(value for value in (getattr(one, name) for one in seen) if value is not None)
    return dict(counts.most_common())
