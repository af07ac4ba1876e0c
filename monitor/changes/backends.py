"""The system fingerprint of one version: which backends of a provider answer, and when their mixture shifts."""

from collections.abc import Sequence
from datetime import datetime

from monitor.changes.detected import Detected
from monitor.changes.shift import Shift, find_shift, occurred_before
from monitor.domain.policy import ChangePolicy
from monitor.domain.version import Change, How, ObservedIdentity

Timeline = Sequence[ObservedIdentity]  # oldest first


def backend_shifts(timeline: Timeline, policy: ChangePolicy, noted: Sequence[Change]) -> list[Detected]:
    """Return every shift of the system fingerprint in the interactions of one version (oldest first) that is not in
    `noted`.

    Each is a change of unknown kind from the version to itself.
    """
    with_fingerprint = [interaction for interaction in timeline if interaction.system_fingerprint is not None]
    steps = [
        change
        for change in noted
        if with_fingerprint and change.from_version == change.to_version == with_fingerprint[0].identity
    ]
    newest = max(steps, key=lambda change: change.noted_at, default=None)
    start, earlier_shifts = newest.at if newest else None, sum(step.how is How.OBSERVED for step in steps)
    found: list[Detected] = []
    while (shift := _shifted(with_fingerprint, policy, start, earlier_shifts + len(found))) is not None:
        found.append(shift)
        start = shift.at
    return found


def shift_of(labels: Sequence[str], policy: ChangePolicy) -> Shift | None:
    """Return where the system fingerprints (oldest first) shifted permanently; None when they did not, or only
    alternate.
    """
    shift = find_shift(
        labels,
        min_part=policy.min_interactions,
        alpha=policy.fingerprint_alpha,
        distance=policy.fingerprint_distance,
    )
    if shift is None:
        return None
    before, after = list(labels[: shift.reference]), list(labels[shift.reference :])
    return None if _takes_turns(before, before, after, policy) else shift


def _shifted(
    with_fingerprint: Timeline, policy: ChangePolicy, start: datetime | None, earlier_shifts: int
) -> Detected | None:
    """Return a shift of fingerprints among the interactions from `start` on.

    The system fingerprint alternates between the backends of a provider, and alternating backends are not a shift.
    Interactions before `start` count for that only after two shifts: A, B, A is a rollback; A, B, A, B alternates.
    """
    recent = [interaction for interaction in with_fingerprint if start is None or interaction.started_at >= start]
    labels = [str(interaction.system_fingerprint) for interaction in recent]
    shift = find_shift(
        labels,
        min_part=policy.min_interactions,
        alpha=policy.fingerprint_alpha,
        distance=policy.fingerprint_distance,
    )
    if shift is None:
        return None
    first = recent[shift.reference]
    if start is not None and first.started_at <= start:
        return None
    older = with_fingerprint[: len(with_fingerprint) - len(recent)] if earlier_shifts >= 2 else []
    before, after = labels[: shift.reference], labels[shift.reference :]
    if _takes_turns([str(interaction.system_fingerprint) for interaction in older] + before, before, after, policy):
        return None
    return Detected(
        to_version=str(first.identity),
        at=first.started_at,
        from_version=str(first.identity),
        evidence={
            "fingerprints_before": shift.before,
            "fingerprints": shift.after,
            "interactions": shift.recent,
            "window": shift.reference + shift.recent,
            "distance": shift.distance,
            "p_value": shift.p_value,
            "first_interaction": first.interaction_id,
        },
    )


def _takes_turns(history: list[str], before: list[str], after: list[str], policy: ChangePolicy) -> bool:
    """Return whether the new fingerprints occurred earlier, or the old ones still occur."""
    # half the distance: a stretch nearer to one side than to the middle between the two
    half_distance = policy.fingerprint_distance / 2
    return occurred_before(history, after, distance=half_distance) or occurred_before(
        after, before, distance=half_distance
    )
