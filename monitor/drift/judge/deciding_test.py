"""The test that a verdict rests on, with its numbers: the one source for alerts, API, CLI and pages."""

from collections.abc import Sequence
from dataclasses import replace

from monitor.domain.deciding_test import DecidingTest, MovedChannel, TestName
from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import ChannelEvidence, Evidence, PinnedRunEvidence, Range
from monitor.domain.finding import CategoryEffect, Comparison, Interval
from monitor.drift.detect.channels import ALL_CHANNELS
from monitor.drift.judge.compare import overall_p_adjusted
from monitor.drift.judge.paired_judgement import Basis
from monitor.stats.mde import smallest_detectable_effect
from monitor.stats.normal import normal_quantile

OVERALL = "overall"
Z_95, Z_POWER = 1.959964, 0.841621


def deciding_test(
    basis: Basis | None, comparison: Comparison | None, evidence: Evidence | None, alpha: float
) -> DecidingTest | None:
    """Return the numbers of the test that `basis` names; None where nothing was tested."""
    match basis:
        case "two_runs":
            return None if comparison is None else two_runs_test(comparison, alpha)
        case "nights":
            return None if evidence is None else nights_test(evidence)
        case "open_alert":
            return (
                None
                if evidence is None or evidence.open_alert_change is None
                else _open_alert_test(evidence.open_alert_change)
            )
        case "pinned_run":
            return None if evidence is None or evidence.pinned_run is None else _pinned_run_test(evidence.pinned_run)
        case None:
            return None


def keep_deciding_numbers(comparison: Comparison, decided: DecidingTest | None) -> Comparison:
    """Return the comparison without the numbers of a test that did not decide.

    Rates and flips of the two runs are observations and stay. Its p-values and its detectable effect are removed,
    unless the two runs decided. A category has moved when the deciding test finds a change in it.
    """
    if decided is None or decided.test == "two_runs":
        return comparison
    moved = {row.channel for row in decided.categories_moved}
    rows = [replace(row, p_value_adjusted=None, moved=row.category in moved) for row in comparison.categories]
    return replace(comparison, p_value=None, mde=None, categories=tuple(rows))


def two_runs_test(comparison: Comparison, alpha: float) -> DecidingTest:
    """Return the exact McNemar test, with Holm's adjustment over the overall test and all categories.

    The adjusted p-value decides, so it is the one that is shown.
    """
    p = overall_p_adjusted(comparison)
    moved = [row for row in comparison.categories if row.moved]
    worst = min(moved, key=lambda row: (row.p_value_adjusted or 0.0, row.effect), default=None)
    category = worst if worst is not None and p >= alpha else None
    family = 1 + len(comparison.categories)
    rows = tuple(_moved_category(row, alpha) for row in sorted(moved, key=lambda row: (row.effect, row.category)))
    n, discordance = (comparison.n if category is None else category.n), comparison.mde_discordance
    smallest = smallest_detectable_effect(n, discordance, alpha=alpha / family)
    return DecidingTest(
        test="two_runs",
        channel=OVERALL if category is None else category.category,
        cases=n,
        before=comparison.baseline if category is None else category.baseline,
        after=comparison.candidate if category is None else category.candidate,
        effect=comparison.effect if category is None else category.effect,
        interval=_range(comparison.interval if category is None else category.interval),
        p=p if category is None else category.p_value_adjusted,
        p_needed=alpha,
        detectable=(DetectableEffect(scenario="two_runs", nights=1, effect=smallest),),
        moved=rows,
    )


def _moved_category(row: CategoryEffect, alpha: float) -> MovedChannel:
    return MovedChannel(
        kind="score",
        channel=row.category,
        cases=row.n,
        before=row.baseline,
        after=row.candidate,
        effect=row.effect,
        interval=_range(row.interval),
        p=row.p_value_adjusted,
        p_needed=alpha,
    )


def nights_test(evidence: Evidence) -> DecidingTest:
    """Return the test of an alarm, else the test of the nights without one."""
    announced = evidence.p is not None if evidence.kind is not None else evidence.phase == "change"
    test: TestName = "known_change" if announced else "silent_drift"
    rows = [row for row in evidence.channels if (row.p_needed is not None) == announced]
    kind, channel = evidence.kind or "score", evidence.channel or OVERALL
    channel_row = next((row for row in rows if (row.kind, row.channel) == (_channel_kind(kind), channel)), None)
    kind_row = next((row for row in rows if (row.kind, row.channel) == (kind, ALL_CHANNELS)), channel_row)
    test_result = DecidingTest(test=test, kind=kind, channel=channel)
    if channel_row is not None:
        test_result = replace(
            test_result,
            cases=channel_row.cases,
            before=channel_row.before,
            after=channel_row.after,
            effect=channel_row.delta,
            interval=channel_row.interval,
            p=channel_row.p,
            p_needed=channel_row.p_needed,
            e=kind_row.e if kind_row is not None else None,
            e_needed=channel_row.e_needed,
            detectable=channel_row.detectable,
        )
    if evidence.kind is None:
        return test_result
    alarmed = replace(
        test_result,
        effect=evidence.delta,
        interval=evidence.interval,
        p=evidence.p,
        p_needed=evidence.p_needed,
        e=evidence.e,
        e_needed=evidence.e_needed,
    )
    return replace(alarmed, moved=_moved(rows, alarmed), overall=_overall(rows, alarmed))


def _overall(rows: Sequence[ChannelEvidence], alarmed: DecidingTest) -> MovedChannel | None:
    """Return the overall channel, when a category alarmed and overall reaches its threshold in the same test."""
    if alarmed.kind != "score" or alarmed.channel == OVERALL:
        return None
    row = next((row for row in rows if (row.kind, row.channel) == ("score", OVERALL)), None)
    return _moved_row(row) if row is not None and row.delta is not None and _is_significant(row) else None


def overall_effect(evidence: Evidence) -> float | None:
    """Return the change of the overall score in the nights that decided; None where they were not compared."""
    announced = evidence.p is not None
    rows = [row for row in evidence.channels if row.kind == "score" and row.channel == OVERALL]
    return next((row.delta for row in rows if (row.p_needed is not None) == announced), None)


def _channel_kind(kind: str) -> str:
    """Return the kind of channel that shows the change: a changed judge shows in the score."""
    return "score" if kind == "judge" else kind


def _moved(rows: Sequence[ChannelEvidence], alarmed: DecidingTest) -> tuple[MovedChannel, ...]:
    """Return the alarmed channel, then every other channel that reaches its threshold alone; falls first."""
    if alarmed.kind not in {"score", "mix"}:
        return ()
    parts = [row for row in rows if row.kind in {"score", "mix"} and row.channel not in {OVERALL, ALL_CHANNELS}]
    first = (alarmed.kind, alarmed.channel)
    test_result = [_moved_row(row) for row in parts if (row.kind, row.channel) != first and _is_significant(row)]
    test_result.sort(key=lambda row: (row.kind != "score", row.effect or 0.0, row.channel))
    if alarmed.channel == OVERALL:
        return tuple(test_result)
    channel_row = MovedChannel(
        kind=alarmed.kind,
        **{
            name: getattr(alarmed, name)
            for name in ("channel", "cases", "before", "after", "effect", "interval", "p", "p_needed", "e", "e_needed")
        },
    )
    return (channel_row, *test_result)


def _is_significant(row: ChannelEvidence) -> bool:
    if row.p is not None and row.p_needed is not None:
        return row.p <= row.p_needed
    return row.e is not None and row.e_needed is not None and row.e >= row.e_needed


def _moved_row(row: ChannelEvidence) -> MovedChannel:
    return MovedChannel(
        kind=row.kind,
        channel=row.channel,
        cases=row.cases,
        before=row.before,
        after=row.after,
        effect=row.delta,
        interval=row.interval,
        p=row.p,
        p_needed=row.p_needed,
        e=row.e,
        e_needed=row.e_needed,
    )


def _open_alert_test(change: ChannelEvidence) -> DecidingTest:
    row = _moved_row(change)
    return DecidingTest(
        test="open_alert",
        kind=change.kind,
        channel=change.channel,
        cases=change.cases,
        before=change.before,
        after=change.after,
        effect=change.delta,
        interval=change.interval,
        moved=() if change.channel == OVERALL else (row,),
    )


def _pinned_run_test(pinned_run: PinnedRunEvidence) -> DecidingTest:
    """Return the test of one week against the pinned nights. It is one-sided, so its smallest effect is at its own
    p.
    """
    channel = pinned_run.channel or OVERALL
    test_result = DecidingTest(
        test="pinned_run",
        channel=channel,
        effect=pinned_run.delta,
        interval=pinned_run.interval,
        p=pinned_run.p,
        p_needed=pinned_run.p_needed,
        detectable=_pinned_run_effect(pinned_run) if channel == OVERALL else (),
    )
    if channel == OVERALL:
        return test_result
    category = MovedChannel(kind="score", channel=channel, p=pinned_run.p, p_needed=pinned_run.p_needed)
    return replace(test_result, moved=(category,))


def _pinned_run_effect(pinned_run: PinnedRunEvidence) -> tuple[DetectableEffect, ...]:
    if pinned_run.interval is None or pinned_run.p_needed is None:
        return ()
    error = (pinned_run.interval[1] - pinned_run.interval[0]) / (2.0 * Z_95)
    effect = min((Z_POWER - normal_quantile(pinned_run.p_needed)) * error, 1.0)
    return (DetectableEffect(scenario="pinned_run", nights=pinned_run.recent_nights, effect=effect),)


def _range(interval: Interval) -> Range:
    return interval.low, interval.high
