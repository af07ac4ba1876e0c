"""Compare: two runs or two versions, what moved between them, and the flipped cases with both answers side by side."""

import streamlit as st

from dashboards.address import Address, visited, write
from dashboards.client import DaemonError
from dashboards.live import begin_page
from dashboards.panels.choose_set import choose_set
from dashboards.panels.effect import show_effect
from dashboards.panels.flip_list import pick_case
from dashboards.panels.moved import show_tables
from dashboards.panels.pick_runs import RunPair, compared_by, pick_runs
from dashboards.panels.side_by_side import show_texts, show_verdicts
from dashboards.snapshot import Snapshot
from dashboards.standing import SetStanding
from dashboards.two_runs import case_of, comparison_of, run_of, sender
from dashboards.words import plain


def show() -> None:
    """Drawn when it is opened and when something is picked, and not by the clock: complete runs do not change."""
    snapshot = begin_page("Compare")
    address, visit = visited()
    linked = _runs(snapshot, address.baseline, address.candidate)
    standing = _choose(snapshot, linked, visit)
    if standing is None:
        st.info("**No data yet.** No deployment with an eval set is configured.")
        return
    pair = pick_runs(standing, _of_set(linked, standing), _default(snapshot, standing), visit)
    if pair is None:
        st.info(f"**No data yet.** {plain(standing.set_name)} needs two complete runs in this period to compare.")
        return
    if pair.baseline.id == pair.candidate.id:
        st.info("This is one run twice; choose another one to compare it with.")
        return
    ids = pair.baseline.id, pair.candidate.id
    case = address.case if ids == (address.baseline, address.candidate) else None
    write(Address(baseline=ids[0], candidate=ids[1], case=case))
    try:
        _show_pair(pair, case, visit)
    except DaemonError as error:
        st.warning(f"These runs cannot be compared: {plain(str(error))}")


def _choose(snapshot: Snapshot, linked: RunPair | None, visit: str) -> SetStanding | None:
    if linked is None:
        return choose_set(snapshot, visit=visit)
    run = linked.candidate
    if run.deployment not in {row.name for row in snapshot.deployments}:
        st.warning(f"The runs of this link are of {plain(run.deployment)}, which is not configured any more.")
    return choose_set(snapshot, deployment=run.deployment, set_name=run.set_name, visit=visit)


def _of_set(linked: RunPair | None, standing: SetStanding) -> RunPair | None:
    """What was linked, while its set is the one that is looked at."""
    if linked is None:
        return None
    run = linked.candidate
    return linked if (run.deployment, run.set_name) == (standing.deployment, standing.set_name) else None


def _default(snapshot: Snapshot, standing: SetStanding) -> RunPair | None:
    """What the set's newest comparison compared."""
    where = standing.deployment, standing.set_name
    findings = [row for row in snapshot.findings if (row.deployment, row.set_name) == where]
    ids = next((compared for row in findings if (compared := compared_by(row)) is not None), None)
    return _runs(snapshot, *ids) if ids is not None else None


def _runs(snapshot: Snapshot, baseline: str | None, candidate: str | None) -> RunPair | None:
    """Both runs, asked for where the period does not hold them."""
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
    elif _is_asked_for(f"{baseline} {candidate} {case_id}"):
        show_texts(case_of(baseline, candidate, case_id, reveal=True), pair)
        st.caption("Shown until you change the selection. The page stores nothing.")


def _is_asked_for(case: str) -> bool:
    """Whether somebody who may has just asked to see this sealed case. Opening the page asks for nothing."""
    who = sender()
    if "reveal" not in who.roles:
        st.info(
            "This set is sealed: its questions, answers and reasons are shown with the role `reveal` only, and every "
            "access is logged.",
            icon=":material/lock:",
        )
        return False
    st.caption(f"This set is sealed. Each access is logged under the name {plain(who.name)}.")
    return st.button("Reveal (logged)", key=f"reveal {case}", icon=":material/lock_open:")


show()
