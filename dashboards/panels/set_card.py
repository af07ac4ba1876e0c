"""One eval set of one deployment: how it does now against its baseline."""

import streamlit as st

from dashboards.panels.badge import badge, kind_badge
from dashboards.panels.compare_link import show_compare_link
from dashboards.panels.decided import RatesShown, moved_lines, sentence, shown_of, smallest
from dashboards.snapshot import Snapshot
from dashboards.standing import SetStanding, happened_at
from dashboards.words import count, moment, percent, plain, points
from monitor.api.schema import ComparisonItem, FindingItem

MOST_CATEGORIES = 4
MDE_SOURCE = {"a/a": "from nights without a change", "this comparison": "from this comparison itself"}


def show_set(snapshot: Snapshot, standing: SetStanding) -> None:
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{plain(standing.set_name)}** &nbsp; {kind_badge(standing.kind)} {badge(standing.state)}")
        if standing.last_complete is None:
            _show_nothing(standing)
            return
        comparison = standing.finding.comparison if standing.finding is not None else None
        if standing.finding is None or comparison is None:
            _show_rate_alone(standing)
        else:
            _show_comparison(snapshot, standing.finding, comparison)


def _show_nothing(standing: SetStanding) -> None:
    st.metric("pass rate now", "no data")
    if standing.item is None:
        st.caption("The set holds no cases yet: import a frozen set, or accept corrections for a dynamic one.")
    elif standing.runs and standing.runs[0].state == "cancelled":
        st.caption(f"No run has come to an end yet; the last one was {plain(standing.runs[0].error or 'cancelled')}.")
    elif standing.runs and standing.runs[0].state == "failed":
        st.caption(
            f"No run has come to an end yet; the last one failed: {plain(standing.runs[0].error or 'no reason')}"
        )
    else:
        st.caption(f"{count(standing.item.cases, 'case')}, no complete run in this period.")


def _show_rate_alone(standing: SetStanding) -> None:
    run = standing.last_complete
    if run is None:
        return
    st.metric("pass rate now", percent(run.pass_rate))
    why = plain(standing.finding.reason) if standing.finding is not None else "it has not been compared yet"
    st.caption(f"{run.passed} of {run.scored} scored cases passed, {moment(happened_at(run))}. Not judged: {why}.")


def _show_comparison(snapshot: Snapshot, finding: FindingItem, comparison: ComparisonItem) -> None:
    shown = shown_of(comparison, finding.decided)
    where = "" if shown.channel == "overall" else f" of {shown.channel}"
    st.metric(
        f"pass rate now{where}",
        percent(shown.after),
        delta=f"{points(shown.effect).replace('−', '-')} points",
        delta_color="normal" if finding.verdict != "insufficient" else "off",
        delta_description=f"against {percent(shown.before)}",
    )
    before = snapshot.version_label(finding.deployment, finding.from_version)
    lines = [
        f"95 % interval of the change **{points(shown.low)} to {points(shown.high)} points**, {_cases(shown)}.",
        f"**{comparison.flipped_to_fail}** flipped to fail, **{comparison.flipped_to_pass}** to pass.",
        f"Baseline: {plain(before)}, {plain(finding.baseline_run or 'run unknown')}.",
        *_test_lines(finding, comparison),
    ]
    st.markdown("  \n".join(lines))
    moved = moved_lines(finding.decided, comparison)[:MOST_CATEGORIES]
    if moved:
        st.markdown("  \n".join(moved))
    _show_flips(comparison)
    show_compare_link(finding)


def _cases(shown: RatesShown) -> str:
    return count(shown.cases, "paired case")


def _test_lines(finding: FindingItem, comparison: ComparisonItem) -> list[str]:
    """How sure, and what the same test could find."""
    if finding.decided is not None:
        found = [plain(sentence(finding.decided)), smallest(finding.decided)]
        return [line for line in found if line is not None]
    if comparison.mde is None:
        return []
    source = MDE_SOURCE.get(comparison.mde_source, comparison.mde_source)
    return [f"Smallest detectable effect: {100 * comparison.mde:.1f} points ({plain(source)})."]


def _show_flips(comparison: ComparisonItem) -> None:
    if not comparison.flipped_case_ids:
        return
    with st.expander(f"{count(len(comparison.flipped_case_ids), 'case')} passed before and fail now"):
        st.caption("The worst: most severe first, then the longest passing history.")
        st.dataframe(
            [
                {
                    "case": case.case_id,
                    "category": case.category,
                    "severity": case.severity,
                    "runs passed before": case.passing_nights,
                    "failure category": case.failure_category,
                }
                for case in comparison.worst_cases
            ],
            hide_index=True,
        )
        st.caption("All of them, by id.")
        st.dataframe([{"case": case_id} for case_id in comparison.flipped_case_ids], hide_index=True, height=220)
