"""Tables of the categories and failure categories that moved in the newest comparison of a set."""

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboards.formatting import percent, plain, points
from dashboards.panels.badge import badge
from dashboards.panels.compare_link import show_compare_link
from dashboards.panels.decided import channel_rows, sentence, smallest
from dashboards.panels.evidence import show_evidence
from dashboards.set_status import SetStatus
from dashboards.snapshot import Snapshot
from dashboards.times import moment
from monitor.api.schema import CategoryEffectItem, ChannelEvidenceItem, ComparisonItem, FailureShiftItem, RunItem


def category_order(status: SetStatus, runs: Sequence[RunItem]) -> list[str]:
    """Return the categories of the runs: the largest fall in the newest comparison first, those without a comparison
    last.
    """
    comparison = status.finding.comparison if status.finding is not None else None
    effects = {row.category: row.effect for row in comparison.categories} if comparison is not None else {}
    names = {row.category for run in runs for row in run.categories}
    return sorted(names, key=lambda name: (name not in effects, effects.get(name, 0.0), name))


def show_moved(snapshot: Snapshot, status: SetStatus) -> None:
    finding = status.finding
    st.subheader(f"What moved {badge(status.state)}", anchor=False)
    if finding is None:
        st.caption("No run of this set has been compared in this period.")
        return
    before = snapshot.version_label(finding.deployment, finding.from_version)
    after = snapshot.version_label(finding.deployment, finding.to_version)
    versions = f"{after} compared with {before}" if before != after else f"{after}, compared with an earlier run"
    st.markdown(f"{moment(finding.at)}, {plain(versions)}: {plain(finding.reason)}.")
    show_compare_link(finding)
    if finding.decided is not None:
        lines = [sentence(finding.decided), smallest(finding.decided)]
        st.caption("  \n".join(plain(line) for line in lines if line is not None))
    if finding.comparison is not None:
        show_tables(finding.comparison, channel_rows(finding))
    if finding.evidence is not None:
        show_evidence(finding.evidence)


def show_tables(comparison: ComparisonItem, channels: Mapping[str, ChannelEvidenceItem] | None = None) -> None:
    """Show the categories and failure categories of a comparison, those that moved first. When nights decided,
    `channels` has the categories with the rates and p-values of that test.
    """
    left, right = st.columns([3, 2])
    rows = sorted(comparison.categories, key=lambda row: (not row.moved, row.effect, row.category))
    left.markdown("**Categories**")
    if rows:
        left.dataframe(
            [_category_row(row, (channels or {}).get(row.category)) for row in rows],
            hide_index=True,
            key="moved categories",
        )
    else:
        left.caption("No category was compared.")
    right.markdown("**Failure categories**")
    if comparison.failure_shifts:
        right.dataframe(
            [_shift_row(row, comparison.n) for row in comparison.failure_shifts], hide_index=True, key="moved failures"
        )
    else:
        right.caption("No paired case failed in either run.")


def _category_row(row: CategoryEffectItem, channel: ChannelEvidenceItem | None) -> dict[str, object]:
    effect, before, after = row.effect, row.baseline, row.candidate
    low, high = row.ci_low, row.ci_high
    if channel is not None and channel.delta is not None:
        effect, before, after = channel.delta, channel.before or 0.0, channel.after or 0.0
        low, high = channel.interval or (low, high)
    direction = "fell" if effect < 0 else "rose"
    return {
        "category": row.category,
        "moved": direction if row.moved else "no",
        "before": percent(before),
        "now": percent(after),
        "points": points(effect),
        "95 % interval": f"{points(low)} to {points(high)}",
        "to fail": row.flipped_to_fail,
        "to pass": row.flipped_to_pass,
        "cases": row.n,
        "evidence": _strength(row, channel),
    }


def _strength(row: CategoryEffectItem, channel: ChannelEvidenceItem | None) -> str:
    """Return the number of the deciding test: p, adjusted p, or e."""
    if channel is not None and channel.e is not None:
        return f"e {channel.e:.3g}"
    p_value = channel.p if channel is not None else row.p_value_adjusted
    if p_value is None:
        return "-"
    return "p < 0.0001" if p_value < 0.0001 else f"p {p_value:.4f}"


def _shift_row(row: FailureShiftItem, n: int) -> dict[str, object]:
    """Return the shares of the paired cases that failed in this way, with their counts."""
    return {
        "failure category": row.failure_category,
        "before": f"{percent(row.baseline / n)} ({row.baseline:,})",
        "now": f"{percent(row.candidate / n)} ({row.candidate:,})",
        "points": points((row.candidate - row.baseline) / n),
    }
