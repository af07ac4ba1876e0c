"""Compare: two runs or two versions, the categories that moved, and the flipped cases with both answers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dashboards.address import Address, current_address, write
from dashboards.client import DaemonError
from dashboards.downloads import show_downloads
from dashboards.formatting import plain
from dashboards.live import begin_page
from dashboards.panels.amounts import show_amounts_of_runs
from dashboards.panels.case_links import show_cases_link
from dashboards.panels.choose_set import choose_set
from dashboards.panels.effect import show_effect
from dashboards.panels.flip_list import PAGE, pick_case
from dashboards.panels.moved import show_tables
from dashboards.panels.pick_runs import BY_VERSION, RunPair, compared_by, pick_runs
from dashboards.panels.pooled import show_pooled
from dashboards.panels.reveal import reveal_requested
from dashboards.panels.side_by_side import show_texts, show_verdicts
from dashboards.requests.ahead import read_ahead
from dashboards.requests.failures import metric_names
from dashboards.set_status import SetStatus
from dashboards.snapshot import Frame, Snapshot
from dashboards.two_runs import amounts_of, case_of, comparison_of, flips_of, run_of, versions_of
from monitor.api.schema import ComparisonItem, RunItem
from monitor.api.schema.version_comparisons import VersionComparisonItem

VERDICT = "verdict"


def show() -> None:
    """Draw the page when it is opened and after each selection, without a timer: complete runs do not change."""
    frame = begin_page("Compare")
    address, visit = current_address()
    linked = _runs((), address.baseline, address.candidate)
    found = _choose(frame, linked, visit)
    if found is None:
        st.info("**No data yet.** No deployment with an eval set is configured.")
        return
    snapshot, status = found
    if status.item is not None and status.item.measures:
        st.caption(f"{plain(status.set_name)} measures: {plain(status.item.measures)}")
    picked = pick_runs(status, _of_set(linked, status), _default(snapshot, status), visit, by=address.by)
    if picked is None:
        st.info(f"**No data yet.** {plain(status.set_name)} needs two complete runs in this period to compare.")
        return
    pair, by = picked
    if pair.baseline.id == pair.candidate.id:
        st.info("Both selections are the same run; choose another run to compare with.")
        return
    ids = pair.baseline.id, pair.candidate.id
    same = ids == (address.baseline, address.candidate)
    chosen = address if same else Address(baseline=ids[0], candidate=ids[1], metric=address.metric)
    chosen = replace(chosen, by=by if by == BY_VERSION else None)
    _read_ahead(status, pair, chosen)
    metric = _choose_metric(status, chosen.metric, visit)
    page = chosen.page if metric == chosen.metric else None
    chosen = replace(chosen, metric=metric, page=page)
    write(chosen)
    try:
        _show_pair(pair, chosen, visit)
    except DaemonError as error:
        st.warning(f"These runs cannot be compared: {plain(str(error))}")


def _choose(frame: Frame, linked: RunPair | None, visit: str) -> tuple[Snapshot, SetStatus] | None:
    if linked is None:
        return choose_set(frame, visit=visit)
    run = linked.candidate
    if run.deployment not in {row.name for row in frame.deployments}:
        st.warning(f"The runs of this link are of {plain(run.deployment)}, which is no longer configured.")
    return choose_set(frame, deployment=run.deployment, set_name=run.set_name, visit=visit)


def _of_set(linked: RunPair | None, status: SetStatus) -> RunPair | None:
    """Return the linked runs while their set is the selected one."""
    if linked is None:
        return None
    run = linked.candidate
    return linked if (run.deployment, run.set_name) == (status.deployment, status.set_name) else None


def _default(snapshot: Snapshot, status: SetStatus) -> RunPair | None:
    """Return the runs of the newest comparison of the set."""
    set_key = status.deployment, status.set_name
    findings = [row for row in snapshot.findings if (row.deployment, row.set_name) == set_key]
    ids = next((compared for row in findings if (compared := compared_by(row)) is not None), None)
    return _runs(snapshot.runs, *ids) if ids is not None else None


def _runs(runs: Sequence[RunItem], baseline: str | None, candidate: str | None) -> RunPair | None:
    """Return both runs. Request those that are not among `runs`."""
    if baseline is None or candidate is None:
        return None
    known = {run.id: run for run in runs}
    read_ahead(*(partial(run_of, id_) for id_ in (baseline, candidate) if id_ not in known))
    try:
        return RunPair(
            baseline=known.get(baseline) or run_of(baseline), candidate=known.get(candidate) or run_of(candidate)
        )
    except DaemonError as error:
        st.warning(f"The runs of this link cannot be shown: {plain(str(error))}")
        return None


def _choose_metric(status: SetStatus, linked: str | None, visit: str) -> str | None:
    """Return the metric that decides which cases flip; None for the verdict."""
    names = [VERDICT, *metric_names(status.deployment, status.set_name)]
    at = names.index(linked) if linked in names else 0
    chosen = st.selectbox(
        "Metric",
        names,
        index=at,
        key=f"metric of {status.deployment}/{status.set_name}{visit}",
        help="`verdict` is the deciding verdict of a case.",
        width=320,
    )
    return None if chosen == VERDICT else chosen


def _read_ahead(status: SetStatus, pair: RunPair, address: Address) -> None:
    """Request at once what the address of the page names: all but the filtered or later flips, and the case."""
    baseline, candidate, metric = str(address.baseline), str(address.candidate), address.metric
    reads: list[Callable[[], object]] = [
        partial(metric_names, status.deployment, status.set_name),
        partial(comparison_of, baseline, candidate, metric),
        partial(amounts_of, baseline, candidate),
    ]
    if not (address.flipped or address.category or address.failure or address.page):
        narrowed = () if metric is None else (("metric", metric),)
        reads.append(partial(flips_of, baseline, candidate, narrowed, cursor=None, limit=PAGE))
    if address.by == BY_VERSION:
        reads.append(partial(versions_of_pair, pair, metric))
    read_ahead(*reads)


def _show_pair(pair: RunPair, address: Address, visit: str) -> None:
    baseline, candidate = pair.baseline.id, pair.candidate.id
    comparison = comparison_of(baseline, candidate, address.metric)
    if address.by == BY_VERSION:
        _show_versions(pair, address.metric)
        st.subheader("The newest comparable runs", anchor=False)
    show_effect(comparison)
    for note in comparison.notes:
        st.caption(plain(note))
    show_tables(comparison)
    show_downloads(f"comparison-{baseline}-{candidate}", rows_of(comparison))
    st.subheader("Flipped cases", anchor=False)
    chosen = pick_case(address, comparison, visit)
    write(chosen)
    if chosen.case is not None:
        st.subheader("Both answers", anchor=False)
        try:
            _show_case(pair, chosen.case, chosen.metric)
        except DaemonError as error:
            st.warning(f"Case {plain(chosen.case)} cannot be shown: {plain(str(error))}")
    write(replace(chosen, amounts=show_amounts_of_runs(amounts_of(baseline, candidate), chosen.amounts, visit)))


def _show_versions(pair: RunPair, metric: str | None) -> None:
    st.subheader("All comparable nights", anchor=False)
    try:
        show_pooled(versions_of_pair(pair, metric))
    except DaemonError as error:
        st.warning(f"The nights of these versions are not pooled: {plain(str(error))}")


def versions_of_pair(pair: RunPair, metric: str | None) -> VersionComparisonItem:
    before, after = pair.baseline, pair.candidate
    return versions_of(after.deployment, after.set_name, before.version or "", after.version or "", metric)


def rows_of(comparison: ComparisonItem) -> list[dict[str, Any]]:
    """Return the comparison as rows: the whole set first, then its categories."""
    names = ("baseline", "candidate", "effect", "ci_low", "ci_high", "flipped_to_fail", "flipped_to_pass", "n")
    whole = {name: getattr(comparison, name) for name in names} | {"p_value": comparison.p_value}
    parts = [
        {name: getattr(row, name) for name in names} | {"category": row.category, "p_value": row.p_value_adjusted}
        for row in comparison.categories
    ]
    return [
        {"category": "", "metric": comparison.metric, **whole},
        *({"metric": comparison.metric, **row} for row in parts),
    ]


def _show_case(pair: RunPair, case_id: str, metric: str | None) -> None:
    baseline, candidate = pair.baseline.id, pair.candidate.id
    case = case_of(baseline, candidate, case_id, metric=metric)
    show_verdicts(case)
    show_cases_link(
        "This case over all runs", pair.candidate.deployment, pair.candidate.set_name, case=case_id, reply=candidate
    )
    if not case.sealed:
        show_texts(case, pair)
    elif reveal_requested(f"{baseline} {candidate} {case_id}"):
        show_texts(case_of(baseline, candidate, case_id, metric=metric, reveal=True), pair)
        st.caption("Visible until you change the selection. The page stores nothing.")


show()
