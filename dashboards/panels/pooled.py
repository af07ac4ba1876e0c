"""Two versions over all their comparable nights: the change, its categories, what was pooled and what was not."""

from typing import Any

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import count, percent, plain, points
from dashboards.times import moment
from monitor.api.schema.version_comparisons import (
    PooledCategoryItem,
    PooledVersionItem,
    VersionComparisonItem,
)

UNSET = "unset"
MOST_CHARACTERS = 12  # of the name of a revision


def show_pooled(found: VersionComparisonItem) -> None:
    p_value = "" if found.p_value is None else f", t test p {_p(found.p_value)}"
    detectable = "" if found.mde is None else f" Smallest detectable effect: {100 * found.mde:.1f} points."
    independent = "" if found.clusters == found.n else f" ({found.clusters:,} independent)"
    st.markdown(
        f"Score **{percent(found.baseline.rate)} → {percent(found.candidate.rate)}**, "
        f"**{points(found.effect)} points** (95 % interval {_interval(found.ci_low, found.ci_high)}{p_value}), "
        f"on {count(found.n, 'case')}{independent}.{detectable}  \n"
        f"Pooled: {_side(found.baseline)}, and {_side(found.candidate)}."
    )
    for note in found.notes:
        st.caption(plain(note))
    st.dataframe([_row(row) for row in _worst_first(found)], hide_index=True, key="pooled categories")
    conditions = ", ".join(f"{name} {_short(value)}" for name, value in found.conditions.items() if value != UNSET)
    st.caption(
        "Each case is one unit: it has the mean of its samples over all pooled nights. All pooled runs have the same "
        f"conditions: {plain(conditions)}."
    )
    if found.left_out:
        with st.expander(f"{count(len(found.left_out), 'run')} under other conditions: not pooled"):
            st.dataframe(
                [{"run": row.run_id, "different condition": row.reason} for row in found.left_out], hide_index=True
            )
    show_downloads(f"versions-{found.baseline.version}-{found.candidate.version}", rows_of(found))


def rows_of(found: VersionComparisonItem) -> list[dict[str, Any]]:
    """Return the comparison as rows: the whole set first, then its categories."""
    pooled = {"nights_before": found.baseline.nights, "nights_after": found.candidate.nights, "metric": found.metric}
    whole = {
        "category": "",
        "n": found.n,
        "baseline": found.baseline.rate,
        "candidate": found.candidate.rate,
        **{name: getattr(found, name) for name in ("effect", "ci_low", "ci_high", "p_value_adjusted")},
    }
    return [pooled | row for row in (whole, *(row.model_dump(exclude={"moved"}) for row in found.categories))]


def _worst_first(found: VersionComparisonItem) -> list[PooledCategoryItem]:
    return sorted(found.categories, key=lambda row: (not row.moved, row.effect, row.category))


def _row(row: PooledCategoryItem) -> dict[str, object]:
    return {
        "category": row.category,
        "moved": ("fell" if row.effect < 0 else "rose") if row.moved else "no",
        "before": percent(row.baseline),
        "after": percent(row.candidate),
        "points": points(row.effect),
        "95 % interval": _interval(row.ci_low, row.ci_high),
        "cases": row.n,
        "adjusted p": "-" if row.p_value_adjusted is None else _p(row.p_value_adjusted),
    }


def _side(side: PooledVersionItem) -> str:
    when = moment(side.first_at) if side.nights == 1 else f"{moment(side.first_at)} to {moment(side.last_at)}"
    return f"**{count(side.nights, 'night')}** of {plain(side.label)} ({count(len(side.runs), 'run')}, {when})"


def _interval(low: float | None, high: float | None) -> str:
    return "unknown" if low is None or high is None else f"{points(low)} to {points(high)}"


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def _short(value: str) -> str:
    return value if len(value) <= 40 else f"{value[:MOST_CHARACTERS]}…"
