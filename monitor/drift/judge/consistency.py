"""Whether the version after an announced change answers the same case less consistently. This is never a regression."""

from typing import Literal

from monitor.domain.evidence import ConsistencyEvidence
from monitor.drift.detect.announced_change import two_sided_p
from monitor.drift.detect.channels import look_window
from monitor.drift.detect.nightly_history import Nights
from monitor.drift.detect.reference import Reference
from monitor.drift.detect.window import Window
from monitor.drift.judge.paired_judgement import Judgement
from monitor.drift.judge.wording import percent, signed_points
from monitor.stats.consistency import consistency_change
from monitor.stats.two_versions.group_sequential import LOOKS, boundaries

NEWEST = 90  # nights before the change that are compared, as for the noise


def consistency_evidence(nights: Nights, reference: Reference) -> ConsistencyEvidence | None:
    """Return the consistency at the latest planned look after a change of version.

    None when no look is active, the scorers changed as well, or too few cases were answered twice. Both directions
    share the alpha of the change over all looks, half each; the test of the scores has its own alpha.
    """
    after, before = look_window(reference), reference.before
    if after is None or before is None or reference.segment.new_judge or not reference.segment.new_version:
        return None
    history = nights.history
    windows = (Window(start=max(before.start, before.end - NEWEST), end=before.end), after)
    tallies = [history.tally.between(each.start, each.end) for each in windows]
    repeats = [nights.repeats.between(each.start, each.end) for each in windows]
    change = consistency_change(*tallies, *repeats)
    if change is None:
        return None
    look = after.end - after.start
    boundary = boundaries(history.alpha_of_change / 2.0)[LOOKS.index(look)]
    direction: Literal["less", "more"] = "less" if change.delta > 0.0 else "more"
    return ConsistencyEvidence(
        cases=change.n,
        nights=look,
        pairs=change.pairs,
        before=change.before,
        after=change.after,
        delta=change.delta,
        interval=(change.interval.low, change.interval.high),
        p=two_sided_p(change.z),
        p_needed=two_sided_p(boundary),
        direction=direction if abs(change.z) >= boundary else None,
    )


def add_consistency(change: Judgement, consistency: ConsistencyEvidence | None) -> Judgement:
    """Return the same verdict and severity, with one more sentence."""
    if consistency is None or consistency.direction is None:
        return change
    return Judgement(
        verdict=change.verdict,
        severity=change.severity,
        reason=f"{change.reason}; {describe_consistency(consistency)}",
        basis=change.basis,
    )


def describe_consistency(change: ConsistencyEvidence) -> str:
    """`the new version is less consistent: two answers to one case differ in 12.1 % instead of 4.0 % (+8.1 points)`"""
    claim = (
        "is as consistent as the old one, as far as is known"
        if change.direction is None
        else f"is {change.direction} consistent"
    )
    low, high = change.interval
    return (
        f"the new version {claim}: two answers to one case differ in {percent(change.after)} instead of "
        f"{percent(change.before)} ({signed_points(change.delta)} points, 95 % interval {signed_points(low)} to "
        f"{signed_points(high)})"
    )
