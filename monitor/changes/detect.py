"""Detects unannounced changes in the newest traffic."""

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
class _KnownState:
    """The state during detection: the current version, since when, and the fields of every known version."""

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
    """Return what the newest interactions (newest first) show beyond `known` and `noted`, in order of effect.

    1. An unknown identity with `min_interactions` is a version, and a change to it from the current one. The first
       version of all is a version only. So is one whose last interaction is before the current one began (late
       history).
    2. A known version whose share has risen to `takeover_share` since the current one began is current again. A canary
       with a steady share, or an old version that is draining, has not risen and is not a change.
    3. The system fingerprints of the current version may shift (`backend_shifts`): a change from it to itself.

    After the result is recorded, the same window gives nothing. Without a `current`, the version first seen last is
    taken for it: the first version comes without a change that could name it.
    """
    timeline = sorted((s for s in window if s.identity is not None), key=lambda s: (s.started_at, s.interaction_id))
    state = _known_state(known, current, noted)
    found: list[Detected] = []
    for identity in _new_identities(timeline, state, policy):
        detected = _appeared(timeline, identity, state)
        found.append(detected)
        state = _after(state, detected)
    while (returned := _returned(timeline, state, policy)) is not None:
        found.append(returned)
        state = _after(state, returned)
    of_version = [interaction for interaction in timeline if interaction.identity == state.current]
    return [*found, *backend_shifts(of_version, policy, noted)]


def _known_state(known: Sequence[Version], current: str | None, noted: Sequence[Change]) -> _KnownState:
    first_seen = {version.id: version.first_seen for version in known}
    if current is None and known:
        current = max(known, key=lambda version: version.first_seen).id
    steps = [change for change in noted if change.to_version == current != change.from_version]
    newest = max(steps, key=lambda change: change.noted_at, default=None)
    since = newest.at if newest else first_seen.get(current or "")
    return _KnownState(current=current, since=since, fields={version.id: version.identity for version in known})


def _after(state: _KnownState, detected: Detected) -> _KnownState:
    """Return the state after `detected` is recorded."""
    fields = (
        state.fields if detected.identity is None else {**state.fields, detected.to_version: detected.identity.fields}
    )
    if state.current is not None and detected.from_version is None:
        return replace(state, fields=fields)
    return _KnownState(current=detected.to_version, since=detected.at, fields=fields)


def _new_identities(timeline: Timeline, state: _KnownState, policy: ChangePolicy) -> list[Identity]:
    """Return unknown identities with enough interactions, in the order of their first interaction."""
    counts = Counter(interaction.identity for interaction in timeline)  # keeps the order of first sight
    first = {interaction.identity: interaction for interaction in reversed(timeline)}
    frequent = [d for d, n in counts.items() if n >= policy.min_interactions and d not in state.fields]
    identities = (_identity(first[digest], policy) for digest in frequent)
    return [identity for identity in identities if identity is not None]


def _identity(interaction: ObservedIdentity, policy: ChangePolicy) -> Identity | None:
    """Return the identity of a stored digest; None when it was stored under other identity fields than today's."""
    identities = identity_of(
        policy.identity,
        response_model=interaction.response_model,
        request_model=interaction.request_model,
        prompt_id=interaction.prompt_id,
        prompt_version=interaction.prompt_version,
        prompt_hash=interaction.prompt_hash,
    )
    return identities if identities is not None and identities.digest == interaction.identity else None


def _appeared(timeline: Timeline, identity: Identity, state: _KnownState) -> Detected:
    of_version = [interaction for interaction in timeline if interaction.identity == identity.digest]
    late = state.since is not None and of_version[-1].started_at < state.since
    came_from = None if late else state.current
    before = state.fields.get(came_from or "", {})
    return Detected(
        to_version=identity.digest,
        at=of_version[0].started_at,
        kind=kind_of(before, identity.fields) if came_from else ChangeKind.UNKNOWN,
        identity=identity,
        from_version=came_from,
        evidence={
            "interactions": len(of_version),
            "window": len(timeline),
            "share": len(of_version) / len(timeline),
            "first_interaction": of_version[0].interaction_id,
            "fingerprints": _tally(of_version, "system_fingerprint"),
            "request_models": _tally(of_version, "request_model"),
            "differs": list(differing(before, identity.fields)) if came_from else [],
            "served_since": _tally([s for s in timeline if s.started_at >= of_version[0].started_at], "identity"),
        },
    )


def _returned(timeline: Timeline, state: _KnownState, policy: ChangePolicy) -> Detected | None:
    """Return a known version that has taken over from the current one, or None."""
    since_current = state.since
    since = [
        interaction for interaction in timeline if since_current is None or interaction.started_at >= since_current
    ]
    labels = [str(interaction.identity) for interaction in since]
    for version, _ in Counter(labels).most_common():
        if version not in state.fields or version == state.current:
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
        detected = _back(recent, version, state, shift.p_value)
        if since_current is None or detected.at > since_current:  # equal times cannot be ordered; later traffic decides
            return detected
    return None


def _back(recent: Timeline, version: str, state: _KnownState, p_value: float) -> Detected:
    of_version = [interaction for interaction in recent if interaction.identity == version]
    before = state.fields.get(state.current or "", {})
    return Detected(
        to_version=version,
        at=of_version[0].started_at,
        kind=kind_of(before, state.fields[version]),
        from_version=state.current,
        evidence={
            "returned": True,
            "interactions": len(of_version),
            "window": len(recent),
            "share": len(of_version) / len(recent),
            "first_interaction": of_version[0].interaction_id,
            "fingerprints": _tally(of_version, "system_fingerprint"),
            "differs": list(differing(before, state.fields[version])),
            "served_since": _tally(recent, "identity"),
            "p_value": p_value,
        },
    )


def _tally(interaction: Sequence[ObservedIdentity], name: str) -> dict[str, Any]:
    counts = Counter(value for value in (getattr(detected, name) for detected in interaction) if value is not None)
    return dict(counts.most_common())
