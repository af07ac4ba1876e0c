"""One case: its figures, its verdicts over runs, its pass rate per version, its replies, its origin, its variants."""

import streamlit as st

from dashboards.formatting import NO_DATA, count, percent, plain
from dashboards.panels.cases.history import show_grid, show_versions
from dashboards.panels.cases.origin import show_origin, show_variants
from dashboards.panels.cases.replies import show_replies
from dashboards.panels.grid import grid
from dashboards.requests.cases import history
from monitor.api.schema.case_histories import CaseHistoryItem, CaseTrendItem

SEVERITY_COLOUR = {"critical": "red", "high": "orange"}
STATE_COLOUR = {"failing": "red", "newly_failing": "red", "flaky": "orange", "never_passes": "violet"}


def show_case(deployment: str, set_name: str, case_id: str, runs: str) -> None:
    """Draw the case. The chosen run is in the address as `reply`."""
    found = history(deployment, set_name, case_id, runs)
    st.subheader(plain(case_id), anchor=False)
    st.markdown(_badges(found.trend))
    _show_figures(found)
    if not found.runs:
        st.info("**No data yet.** No complete run has asked this case. Start a replay of the set.")
    else:
        clicked = show_grid(found)
        show_versions(found)
        show_replies(found, clicked)
    show_origin(found)
    show_variants(found)


def _badges(trend: CaseTrendItem) -> str:
    verdict = {None: ":gray-badge[no score]", True: ":green-badge[:material/check_circle: pass]"}.get(
        trend.passed, f":red-badge[:material/cancel: fail] {plain(trend.failure_category or '')}"
    )
    states = [
        f":{STATE_COLOUR.get(state, 'blue')}-badge[{state.replace('_', ' ')}]"
        for state in trend.states
        if state != "failing"
    ]
    severity = f":{SEVERITY_COLOUR.get(trend.severity, 'gray')}-badge[{plain(trend.severity)}]"
    parts = [f":gray[part] {plain(trend.part)}"] if trend.part else []
    return " &nbsp; ".join([verdict, severity, *states, f":gray[category] {plain(trend.category)}", *parts])


def _show_figures(found: CaseHistoryItem) -> None:
    trend = found.trend
    versions = f"{found.failed_versions} of {count(len(found.versions), 'version')}"
    figures = [
        (
            "Difficulty",
            percent(trend.fail_share),
            f"failed on {trend.failed} of {count(trend.runs, 'run')} and under {versions}",
        ),
        (
            "Disagreement in one run",
            percent(trend.disagreeing / trend.pairs) if trend.pairs else NO_DATA,
            f"{trend.disagreeing} of {count(trend.pairs, 'pair')} of answers of one run differ",
        ),
        (
            "Flips within a version",
            percent(trend.flips / trend.night_pairs) if trend.night_pairs else NO_DATA,
            f"{trend.flips} of {count(trend.night_pairs, 'pair')} of consecutive runs of one version differ",
        ),
        _exposure(found),
    ]
    for where, (name, value, detail) in zip(grid(len(figures), wide=4), figures, strict=True):
        where.metric(name, value, border=True)
        where.caption(detail)


def _exposure(found: CaseHistoryItem) -> tuple[str, str, str]:
    if found.exposure is None:
        return "Exposure", "not sealed", "driftd counts calls and reveals of the cases of sealed sets only"
    one = found.exposure
    budget = "" if one.budget is None else f" of {one.budget:,}"
    people = "1 person" if one.people == 1 else f"{one.people:,} people"
    detail = (
        f"{count(one.calls, 'call')} to {count(one.providers, 'endpoint')} ({one.recent_calls:,} in the last 30 days), "
        f"{count(one.reveals, 'reveal')} to {people}"
    )
    return "Exposure", f"{one.calls + one.reveals:,}{budget}", detail
