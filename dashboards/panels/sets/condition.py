"""The condition of a set: concerns, saturation, staleness and coverage, redundancy, exposure, overfitting."""

from collections.abc import Sequence

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import count, percent, plain, points
from dashboards.panels.case_links import show_cases_link
from monitor.api.schema import SetHealthItem
from monitor.api.schema.set_health import (
    ExposureSummary,
    OverfittingItem,
    RedundancyItem,
    SaturationItem,
    StalenessItem,
)

UNKNOWN = "unknown: too few data"
LISTED = 20


def show_concerns(found: SetHealthItem) -> None:
    if found.concerns:
        lines = "\n".join(f"- {plain(concern)}" for concern in found.concerns)
        st.warning(f"**{count(len(found.concerns), 'concern')}**\n\n{lines}", icon=":material/health_and_safety:")
    elif found.runs:
        st.success(f"No concern, from {count(found.runs, 'run')}.", icon=":material/check:")
    else:
        st.info("The set has no complete run, so only its texts could be examined.", icon=":material/info:")


def show_condition(found: SetHealthItem, deployment: str) -> None:
    """Draw one table: the property, the value, and what it means."""
    rows = [
        *_saturation(found.saturation),
        *_coverage(found.staleness),
        *_redundancy(found.redundancy),
        *_exposure(found.exposure),
        *_overfitting(found.overfitting),
    ]
    st.dataframe(
        [{"property": name, "value": value, "meaning": meaning} for name, value, meaning in rows],
        hide_index=True,
        alt="Condition of the set",
        column_config={"meaning": st.column_config.TextColumn(width="large")},
    )
    show_downloads(f"condition of {found.set_name}", [item.model_dump(mode="json") for item in found.items])
    _show_lists(found, deployment)


def _saturation(found: SaturationItem) -> list[tuple[str, str, str]]:
    value = UNKNOWN if found.share is None else f"{percent(found.share)} of {count(found.judged, 'case')}"
    separating = UNKNOWN if found.separating is None else count(found.separating, "case")
    return [
        ("Saturation", value, f"cases without information over {count(found.versions, 'version')}"),
        (
            "Always pass, never pass",
            f"{found.always_pass}, {found.always_fail}",
            "cases with the same result in each run",
        ),
        ("Separating", separating, "cases that distinguish better versions from worse ones"),
    ]


def _coverage(found: StalenessItem) -> list[tuple[str, str, str]]:
    distant, uncovered = UNKNOWN, UNKNOWN
    if found.distant is not None:
        interval = (
            f" ({percent(found.distant_low)} to {percent(found.distant_high)})" if found.distant_low is not None else ""
        )
        distant = f"{percent(found.distant)}{interval}"
    if found.uncovered is not None:
        uncovered = percent(found.uncovered)
    calls = count(found.calls, "production call")
    return [
        ("Staleness", distant, f"of {calls} are near no case; up to 10 % is usual"),
        ("Not covered", uncovered, "of production asks other questions than the set"),
    ]


def _redundancy(found: RedundancyItem) -> list[tuple[str, str, str]]:
    value = f"{found.redundant} in {count(len(found.groups), 'group')} ({percent(found.share)})"
    return [("Redundancy", value, "cases that repeat another case almost word for word")]


def _exposure(found: ExposureSummary | None) -> list[tuple[str, str, str]]:
    if found is None:
        return []
    budget = "no budget" if found.budget is None else f"of a budget of {found.budget}"
    left = "" if found.days_left is None else f"; about {found.days_left:.0f} days are left"
    return [
        ("Exposure", f"{found.max_exposure} {budget}", f"most calls and reveals of one case{left}"),
        ("Revealed", count(found.revealed_cases, "case"), "were read by a person; each look is in the access log"),
    ]


def _overfitting(found: OverfittingItem | None) -> list[tuple[str, str, str]]:
    if found is None:
        return []
    if found.rise is None or found.rise_low is None or found.rise_high is None:
        return [("Overfitting", UNKNOWN, "needs runs over several versions and corrections of production")]
    rise = f"{points(found.rise)} points ({points(found.rise_low)} to {points(found.rise_high)})"
    return [
        ("Overfitting", f"{found.trend.replace('_', ' ')}", f"the pass rate changed by {rise} over {found.runs} runs")
    ]


def _show_categories(found: StalenessItem, set_name: str) -> None:
    """Draw the share of each category in production next to its share in the set."""
    calls, cases = sum(one.calls for one in found.categories), sum(one.cases for one in found.categories)
    if not calls:
        return
    rows = [
        {
            "category": one.category,
            "of production (%)": round(100 * one.calls / calls, 1),
            "of the set (%)": round(100 * one.cases / max(cases, 1), 1),
            "calls": one.calls,
            "cases": one.cases,
            "coverage": _covered(one.calls, one.cases),
        }
        for one in found.categories
    ]
    st.markdown("**Coverage of production by category**")
    st.dataframe(rows, hide_index=True, alt="Coverage of production by category")
    show_downloads(f"coverage of {set_name}", rows)


def _covered(calls: int, cases: int) -> str:
    if not cases:
        return "no case"
    return "covered" if calls else "no call"


def _show_lists(found: SetHealthItem, deployment: str) -> None:
    """Draw the categories and cases behind the figures, with links to the cases."""
    _show_categories(found.staleness, found.set_name)
    noise = found.label_noise
    named = [
        ("Failed by better versions: check their expectation", noise.failed_by_better_versions),
        ("Never passed: check their expectation", noise.never_passed),
        ("Unstable within one version", noise.unstable),
        ("Over the exposure budget: replace them", None if found.exposure is None else found.exposure.over_budget),
        *((f"Redundant group {n}", group) for n, group in enumerate(found.redundancy.groups[:LISTED], 1)),
    ]
    for title, cases in named:
        if cases:
            _show_cases(title, cases, found.set_name, deployment)


def _show_cases(title: str, cases: Sequence[str], set_name: str, deployment: str) -> None:
    with st.expander(f"{title}: {count(len(cases), 'case')}"):
        for case_id in cases[:LISTED]:
            show_cases_link(case_id, deployment, set_name, case=case_id)
        if len(cases) > LISTED:
            st.caption(f"The first {LISTED} of {len(cases)}; the page Cases lists all.")
