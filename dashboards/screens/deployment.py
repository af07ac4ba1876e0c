"""One deployment: its state, its alerts, each set against its baseline, its history, runs, changes and alerts."""

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.client import DaemonError
from dashboards.formatting import ago, plain
from dashboards.live import REFRESH_S, begin_page, snapshot_of
from dashboards.markers import describe_change
from dashboards.panels.diagnosis import show_diagnosis
from dashboards.panels.empty import show_empty
from dashboards.panels.history import show_history
from dashboards.panels.overview.states import state_badge
from dashboards.panels.overview.words import next_text, replay_text, traffic_text
from dashboards.panels.review_link import show_review_link
from dashboards.panels.set_card import show_set
from dashboards.panels.tables import show_alerts, show_changes, show_runs
from dashboards.panels.verdict import show_answer
from dashboards.requests.deployment import DeploymentState, state_of
from dashboards.set_status import SetStatus, set_statuses
from dashboards.snapshot import Frame, Snapshot
from dashboards.times import moment
from monitor.api.schema import DeploymentItem
from monitor.api.schema.changes import DeploymentNameItem
from monitor.api.schema.overview import AreaHealthItem, OverviewItem

_CHOICE = "deployment"  # key of the choice
HEALTH = {
    "ok": ":material/check_circle: ok",
    "problem": ":material/error: **problem**",
    "unknown": ":material/help: not measured",
}


@st.fragment(run_every=REFRESH_S)
def show() -> None:
    frame = begin_page("Deployment")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link("screens/overview.py", label="All deployments", icon=":material/arrow_back:")
        deployment = _chosen(frame)
    if deployment is None:
        return
    snapshot = snapshot_of(deployment.name)
    statuses = set_statuses(snapshot, deployment)
    show_answer(snapshot, deployment.name, statuses)
    state = _state(deployment.name)
    if state is not None:
        _show_state(snapshot, state)
    _show_sets(snapshot, statuses)
    if state is not None and state.diagnosis is not None:
        show_diagnosis(state.diagnosis)
    history, runs, changes, alerts = st.tabs(["History", "Last runs", "Versions and changes", "Alerts"])
    with history:
        show_history(snapshot, deployment.name, statuses)
    with runs:
        show_runs(snapshot, snapshot.runs)
    with changes:
        show_changes(snapshot, snapshot.changes)
    with alerts:
        show_alerts(snapshot.alerts)


def _chosen(frame: Frame) -> DeploymentNameItem | None:
    """Return the deployment of the address. Another choice changes the address, and the page reads that deployment."""
    names = [row.name for row in frame.deployments]
    linked = st.query_params.get("deployment")
    if not names:
        show_empty("No deployment is configured.", do="Add one under `deployments` in the configuration of the daemon.")
        return None
    if linked is not None and linked not in names:
        st.warning(f"The deployment of this link does not exist: {plain(linked)}. Choose another one.")
    name = st.selectbox(
        "Deployment",
        names,
        index=names.index(linked) if linked in names else 0 if linked is None and len(names) == 1 else None,
        key=_CHOICE,
        placeholder="Choose a deployment",
        label_visibility="collapsed",
        on_change=_write_choice,
    )
    return next((row for row in frame.deployments if row.name == name), None)


def _write_choice() -> None:
    keep_in_address(deployment=st.session_state[_CHOICE])


def _state(deployment: str) -> DeploymentState | None:
    try:
        return state_of(deployment)
    except DaemonError as error:
        st.warning(f"The state of the deployment cannot be shown: {plain(str(error))}")
        return None


def _show_state(snapshot: Snapshot, state: DeploymentState) -> None:
    row = state.overview
    if row is not None and row.alert_id is None:  # the callout of an alert has the same sentence
        since = "" if row.since is None else f"since {moment(row.since)} ({ago(row.since, snapshot.now)}): "
        st.markdown(f"{state_badge(row.state)} {since}{plain(row.reason)}")
    if state.item is not None:
        _show_facts(snapshot, state.item, row)
    with st.container(horizontal=True, vertical_alignment="center"):
        if row is not None:
            with st.popover("Health of judges, sets and ingest", icon=":material/monitor_heart:", type="tertiary"):
                for name, health in (("Judges", row.judges), ("Sets", row.set_health), ("Ingest", row.ingest)):
                    _show_health(name, health)
        if state.item is not None:
            show_review_link(state.item)


def _show_health(name: str, health: AreaHealthItem) -> None:
    st.markdown(f"**{name}** {HEALTH[health.state]}: {plain(health.reason)}")


def _show_sets(snapshot: Snapshot, statuses: list[SetStatus]) -> None:
    for start in range(0, len(statuses), 2):
        for column, status in zip(st.columns(2), statuses[start : start + 2], strict=False):
            with column:
                show_set(snapshot, status)
    if not statuses:
        show_empty(
            "No eval set is configured for this deployment, so driftd replays nothing for it.",
            do="Write a set, import it, and name it under `deployments.NAME.sets`.",
            command="driftd sets new",
        )


def _show_facts(snapshot: Snapshot, deployment: DeploymentItem, item: OverviewItem | None) -> None:
    version, change, traffic, corrections, replay = st.columns([3, 4, 2, 2, 2])
    newest = next(iter(snapshot.changes), None)
    current = deployment.current_version
    name = "current version" if deployment.contradiction is None else "current version, observed"
    _fact(version, name, plain(current.label) if current is not None else _why_no_version(deployment))
    when = f", {ago(newest.at, snapshot.now)}" if newest is not None else ""
    step = plain(describe_change(snapshot, newest)) if newest is not None else "none in this period"
    _fact(change, f"last change{when}", step)
    today = f", {deployment.today.calls:,} today" if deployment.today is not None else ""
    _fact(traffic, "interactions", f"{deployment.interactions:,}{today}")
    if item is not None:
        _fact(corrections, "corrections, 7 days", traffic_text(item.traffic))
        label = "next replay" if item.replay is None else "replay"
        now = snapshot.now
        text = next_text(item.next_replay, now) if item.replay is None else replay_text(item.replay, now)
        _fact(replay, label, plain(text))
        if item.replay is not None and item.replay.total:
            replay.progress(item.replay.done / item.replay.total)
    if deployment.contradiction is not None:
        st.warning(
            f"The announced and the observed version differ: {plain(deployment.contradiction)}.", icon=":material/help:"
        )


def _why_no_version(deployment: DeploymentItem) -> str:
    """Return why no version is known: calls may have arrived already."""
    return "not identified yet" if deployment.interactions else "no call has arrived"


def _fact(column: st.delta_generator.DeltaGenerator, name: str, value: str) -> None:
    column.markdown(f":gray[{name}]  \n**{value}**")


show()
