"""What moved in the newest comparison of a set, in tables."""

from collections.abc import Sequence

import streamlit as st

from dashboards.panels.badge import badge
from dashboards.panels.compare_link import show_compare_link
from dashboards.panels.evidence import show_evidence
from dashboards.snapshot import Snapshot
from dashboards.standing import SetStanding
from dashboards.words import moment, percent, plain, points
from monitor.api.schema import CategoryEffectItem, ComparisonItem, FailureShiftItem, RunItem


def category_order(standing: SetStanding, runs: Sequence[RunItem]) -> list[str]:
    """Categories of the runs, what fell most in the newest comparison first; those it does not hold last, by name."""
    comparison = standing.finding.comparison if standing.finding is not None else None
    effects = {row.category: row.effect for row in comparison.categories} if comparison is not None else {}
    names = {row.category for run in runs for row in run.categories}
    return sorted(names, key=lambda name: (name not in effects, effects.get(name, 0.0), name))


def show_moved(snapshot: Snapshot, standing: SetStanding) -> None:
    finding = standing.finding
    st.subheader(f"What moved {badge(standing.state)}", anchor=False)
    if finding is None:
        st.caption("No run of this set has been compared in this period.")
        return
    before = snapshot.version_label(finding.deployment, finding.from_version)
    after = snapshot.version_label(finding.deployment, finding.to_version)
    versions = f"{before} against {after}" if before != after else f"{after}, against an earlier run of it"
    st.markdown(f"{moment(finding.at)}, {plain(versions)}: {plain(finding.reason)}.")
    show_compare_link(finding)
    if finding.comparison is not None:
        show_tables(finding.comparison)
    if finding.evidence is not None:
        show_evidence(finding.evidence)


def show_tables(comparison: ComparisonItem) -> None:
    """Categories and failure categories of a comparison, what moved first."""
    left, right = st.columns([3, 2])
    rows = sorted(comparison.categories, key=lambda row: (not row.moved, row.effect, row.category))
    left.markdown("**Categories**")
    if rows:
        left.dataframe([_category_row(row) for row in rows], hide_index=True, key="moved categories")
    else:
        left.caption("No category was compared.")
    right.markdown("**Failure categories**")
    if comparison.failure_shifts:
        right.dataframe([_shift_row(row) for row in comparison.failure_shifts], hide_index=True, key="moved failures")
    else:
        right.caption("No paired case failed, before or now.")


def _category_row(row: CategoryEffectItem) -> dict[str, object]:
    direction = "fell" if row.effect < 0 else "rose"
    return {
        "category": row.category,
        "moved": direction if row.moved else "no",
        "before": percent(row.baseline),
        "now": percent(row.candidate),
        "points": points(row.effect),
        "95 % interval": f"{points(row.ci_low)} to {points(row.ci_high)}",
        "to fail": row.flipped_to_fail,
        "to pass": row.flipped_to_pass,
        "cases": row.n,
        "adjusted p": "< 0.0001" if row.p_value_adjusted < 0.0001 else f"{row.p_value_adjusted:.4f}",
    }


def _shift_row(row: FailureShiftItem) -> dict[str, object]:
    change = row.candidate - row.baseline
    return {
        "failure category": row.failure_category,
        "before": row.baseline,
        "now": row.candidate,
        "change": f"{change:+d}".replace("-", "−") if change else "0",
    }
