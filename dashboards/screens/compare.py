"""Compare: two runs or two versions, the categories that moved, and the flipped cases with both answers."""

import streamlit as st

from dashboards.address import Address, current_address, write
from dashboards.client import DaemonError
from dashboards.formatting import plain
from dashboards.live import begin_page
from dashboards.panels.choose_set import choose_set
from dashboards.panels.effect import show_effect
from dashboards.panels.flip_list import pick_case
from dashboards.panels.moved import show_tables
from dashboards.panels.pick_runs import RunPair, compared_by, pick_runs
from dashboards.panels.reveal import reveal_requested
from dashboards.panels.side_by_side import show_texts, show_verdicts
from dashboards.set_status import SetStatus
from dashboards.snapshot import Snapshot
from dashboards.two_runs import case_of, comparison_of, run_of


def show() -> None:
    """Draw the page when it is opened and after each selection, without a timer: complete runs do not change."""
    snapshot = begin_page("Compare")
    address, visit = current_address()
    linked = _runs(snapshot, address.baseline, address.candidate)
    status = _choose(snapshot, linked, visit)
    if status is None:
        st.info("**No data yet.** No deployment with an eval set is configured.")
        return
    pair = pick_runs(status, _of_set(linked, status), _default(snapshot, status), visit)
    if pair is None:
        st.info(f"**No data yet.** {plain(status.set_name)} needs two complete runs in this period to compare.")
        return
    if pair.baseline.id == pair.candidate.id:
        st.info("Both selections are the same run; choose another run to compare with.")
        return
    ids = pair.baseline.id, pair.candidate.id
    case = address.case if ids == (address.baseline, address.candidate) else None
    write(Address(baseline=ids[0], candidate=ids[1], case=case))
    try:
        _show_pair(pair, case, visit)
    except DaemonError as error:
        st.warning(f"These runs cannot be compared: {plain(str(error))}")


def _choose(snapshot: Snapshot, linked: RunPair | None, visit: str) -> SetStatus | None:
    if linked is None:
        return choose_set(snapshot, visit=visit)
    run = linked.candidate
    if run.deployment not in {row.name for row in snapshot.deployments}:
        st.warning(f"The runs of this link are of {plain(run.deployment)}, which is no longer configured.")
    return choose_set(snapshot, deployment=run.deployment, set_name=run.set_name, visit=visit)


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
    return _runs(snapshot, *ids) if ids is not None else None


def _runs(snapshot: Snapshot, baseline: str | None, candidate: str | None) -> RunPair | None:
    """Return both runs. Request those that are not in the period."""
    if baseline is None or candidate is None:
        return None
    known = {run.id: run for run in snapshot.runs}
    try:
        return RunPair(
            baseline=known.get(baseline) or run_of(baseline), candidate=known.get(candidate) or run_of(candidate)
        )
    except DaemonError as error:
        st.warning(f"The runs of this link cannot be shown: {plain(str(error))}")
        return None


def _show_pair(pair: RunPair, case: str | None, visit: str) -> None:
    baseline, candidate = pair.baseline.id, pair.candidate.id
    comparison = comparison_of(baseline, candidate)
    show_effect(comparison)
    for note in comparison.notes:
        st.caption(plain(note))
    show_tables(comparison)
    st.subheader("Flipped cases", anchor=False)
    picked = pick_case(baseline, candidate, comparison, case, visit)
    if picked is None:
        return
    write(Address(baseline=baseline, candidate=candidate, case=picked))
    st.subheader("Both answers", anchor=False)
    try:
        _show_case(pair, picked)
    except DaemonError as error:
        st.warning(f"Case {plain(picked)} cannot be shown: {plain(str(error))}")


def _show_case(pair: RunPair, case_id: str) -> None:
    baseline, candidate = pair.baseline.id, pair.candidate.id
    case = case_of(baseline, candidate, case_id)
    show_verdicts(case)
    if not case.sealed:
        show_texts(case, pair)
    elif reveal_requested(f"{baseline} {candidate} {case_id}"):
        show_texts(case_of(baseline, candidate, case_id, reveal=True), pair)
        st.caption("Visible until you change the selection. The page stores nothing.")


show()
