"""One eval set of one deployment: its newest result against its baseline."""

import streamlit as st

from dashboards.formatting import count, percent, plain, points
from dashboards.panels.badge import badge, kind_badge
from dashboards.panels.compare_link import show_compare_link
from dashboards.panels.decided import DisplayedRates, displayed_rates, moved_lines, sentence, smallest
from dashboards.set_status import SetStatus, happened_at
from dashboards.snapshot import Snapshot
from dashboards.times import moment
from monitor.api.schema import ComparisonItem, FindingItem, PartCountItem, RunItem, SetItem

MOST_CATEGORIES = 4
PARTS = {  # with what follows when the part is empty
    "sampled": "No improvement can be shown until a reviewer confirms sampled calls.",
    "corrected": "No correction has been accepted.",
}
MDE_SOURCE = {"a/a": "from nights without a change", "this comparison": "from this comparison itself"}


def show_set(snapshot: Snapshot, status: SetStatus) -> None:
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{plain(status.set_name)}** &nbsp; {kind_badge(status.kind)} {badge(status.state)}")
        if status.item is not None and status.item.measures:
            st.caption(f"Measures: {plain(status.item.measures)}")
        _show_first_look(status)
        _show_acceptance(status.finding)
        if status.last_complete is None:
            _show_nothing(status)
            return
        comparison = status.finding.comparison if status.finding is not None else None
        if status.finding is None or comparison is None:
            _show_rate_alone(status)
        else:
            _show_comparison(snapshot, status.finding, comparison)
        _show_parts(status)
        if line := provenance_line(status.item):
            st.caption(plain(line))


def _show_acceptance(finding: FindingItem | None) -> None:
    """Show who accepted the level of the set: it did not recover, and its effect is against the old baseline."""
    accepted = None if finding is None else finding.acceptance
    if accepted is not None:
        who = f"**{plain(accepted.by)}**, {moment(accepted.at)}"
        st.info(f"Accepted as the new baseline by {who}: {plain(accepted.reason)}.", icon=":material/task_alt:")


def provenance_line(item: SetItem | None) -> str:
    """Return where the cases of the current revision were published; empty for cases of driftd. Pure."""
    if item is None or item.format is None:
        return ""
    parts = [f"Format {item.format}", item.licence, item.source]
    canary = "the data has a canary: models may have seen it" if item.has_benchmark_canary else None
    return ", ".join(text for text in (*parts, canary) if text)


def _show_parts(status: SetStatus) -> None:
    lines = part_lines(status.last_complete, status.finding)
    if lines:
        st.markdown("  \n".join(lines))


def part_lines(run: RunItem | None, finding: FindingItem | None) -> list[str]:
    """Return a line for each part of a dynamic set, an empty part included; none for a set without parts. Pure."""
    if run is None or not run.parts:
        return []
    verdicts = {} if finding is None else {row.part: row.verdict for row in finding.parts}
    counted = {row.part: row for row in run.parts}
    return [_part_line(part, counted.get(part), verdicts.get(part)) for part in PARTS]


def _part_line(part: str, found: PartCountItem | None, verdict: str | None) -> str:
    if found is None or not found.cases:
        return f"**{part} part**: empty. {PARTS[part]}"
    rate = percent(found.passed / found.scored) if found.scored else "no data"
    judged = "" if verdict is None else f", {verdict}"
    return f"**{part} part**: {rate} of {count(found.scored, 'scored case')} passed{judged}."


def _show_first_look(status: SetStatus) -> None:
    """Show the first look of the newest run until the run is judged."""
    run = status.runs[0] if status.runs else None
    if run is None or run.first_look is None or run.verdict is not None:
        return
    text = plain(run.first_look.reason)
    if run.first_look.announced:
        st.warning(f"Regression announced: {text}.", icon=":material/running_with_errors:")
    else:
        st.caption(f"{text[:1].upper()}{text[1:]}.")


def _show_nothing(status: SetStatus) -> None:
    st.metric("pass rate now", "no data")
    if status.item is None:
        st.caption("The set has no cases yet: import a frozen set, or accept corrections for a dynamic set.")
    elif status.runs and status.runs[0].state == "cancelled":
        st.caption(f"No run is complete yet; the last one was {plain(status.runs[0].error or 'cancelled')}.")
    elif status.runs and status.runs[0].state == "failed":
        st.caption(f"No run is complete yet; the last one failed: {plain(status.runs[0].error or 'no error recorded')}")
    else:
        st.caption(f"{count(status.item.cases, 'case')}, no complete run in this period.")


def _show_rate_alone(status: SetStatus) -> None:
    run = status.last_complete
    if run is None:
        return
    st.metric("pass rate now", percent(run.pass_rate))
    why = plain(status.finding.reason) if status.finding is not None else "no comparison yet"
    st.caption(f"{run.passed} of {run.scored} scored cases passed, {moment(happened_at(run))}. No verdict: {why}.")


def _show_comparison(snapshot: Snapshot, finding: FindingItem, comparison: ComparisonItem) -> None:
    rates = displayed_rates(comparison, finding.decided)
    rate, moved = st.columns([3, 4])
    with rate:
        _show_rate(finding, rates)
    before = snapshot.version_label(finding.deployment, finding.from_version)
    lines = [
        f"95 % interval of the change **{points(rates.low)} to {points(rates.high)} points**, {_cases(rates)}.",
        f"**{comparison.flipped_to_fail}** flipped to fail, **{comparison.flipped_to_pass}** to pass.",
        *moved_lines(finding.decided, comparison)[:MOST_CATEGORIES],
    ]
    moved.markdown("  \n".join(lines))
    with st.container(horizontal=True, vertical_alignment="center"):
        show_compare_link(finding)
        with st.popover("Test and baseline", type="tertiary", icon=":material/query_stats:"):
            baseline = f"Baseline: {plain(before)}, {plain(finding.baseline_run or 'run unknown')}."
            st.markdown("  \n".join([baseline, *_test_lines(finding, comparison)]))
    _show_flips(comparison)


def _show_rate(finding: FindingItem, rates: DisplayedRates) -> None:
    where = "" if rates.channel == "overall" else f" of {rates.channel}"
    st.metric(
        f"pass rate now{where}",
        percent(rates.after),
        delta=f"{points(rates.effect).replace('−', '-')} points",
        delta_color="normal" if _agrees(finding.verdict, rates.effect) else "off",
        delta_arrow="auto" if points(rates.effect) != "0.0" else "off",
        delta_description=f"compared with {percent(rates.before)}",
    )


def _agrees(verdict: str, effect: float) -> bool:
    """Return whether the rate moved as the verdict states. A set can be a regression although its overall rate rose."""
    return (verdict == "regression" and effect < 0) or (verdict == "improvement" and effect > 0)


def _cases(rates: DisplayedRates) -> str:
    return count(rates.cases, "paired case")


def _test_lines(finding: FindingItem, comparison: ComparisonItem) -> list[str]:
    """Return the deciding test with its strength, and the smallest effect that it detects."""
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
        st.caption("The worst cases: most severe first, then the longest history of passing.")
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
        st.caption("All cases, by id.")
        st.dataframe([{"case": case_id} for case_id in comparison.flipped_case_ids], hide_index=True, height=220)
