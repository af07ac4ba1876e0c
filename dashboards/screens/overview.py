"""Overview: is anything regressing, since when, and after which change? Then one section per deployment."""

import streamlit as st

from dashboards.charts.axes import order_axis
from dashboards.charts.rates import RatePoint, rate_chart
from dashboards.client import DaemonError
from dashboards.formatting import ago, plain
from dashboards.live import REFRESH_S, begin_page, connection_now
from dashboards.markers import describe_change, markers_between
from dashboards.palette import assign
from dashboards.panels.badge import badge
from dashboards.panels.diagnosis import show_diagnosis
from dashboards.panels.review_link import show_review_link
from dashboards.panels.set_card import show_set
from dashboards.panels.tables import show_alerts, show_changes, show_runs
from dashboards.panels.verdict import show_alert, show_answer
from dashboards.set_status import SetStatus, happened_at, set_statuses, state_of
from dashboards.slots import arrange
from dashboards.snapshot import Snapshot
from dashboards.times import axis_labels, moment
from monitor.api.schema import DeploymentItem, RunItem

APART = 0.08  # distance, in slots, of sets that were replayed together


@st.fragment(run_every=REFRESH_S)
def show() -> None:
    snapshot = begin_page("Overview")
    statuses = {deployment.name: set_statuses(snapshot, deployment) for deployment in snapshot.deployments}
    _show_linked_alert(snapshot)
    show_answer(snapshot, [row for rows in statuses.values() for row in rows])
    _show_warnings(snapshot)
    if not snapshot.deployments:
        st.caption("No deployment is configured; add one under `deployments` in the configuration of the daemon.")
    for deployment in snapshot.deployments:
        _show_deployment(snapshot, deployment, statuses[deployment.name])


def _show_warnings(snapshot: Snapshot) -> None:
    """Show what needs a person, such as a paused schedule, unless an alert on this page shows it."""
    shown = {alert.summary for alert in snapshot.alerts}
    for sentence in snapshot.status.warnings:
        if sentence not in shown:
            st.warning(plain(sentence), icon=":material/info:")


def _show_linked_alert(snapshot: Snapshot) -> None:
    """Show the alert in the address, unless the page shows it already."""
    alert_id = st.query_params.get("alert")
    if alert_id is None or any(alert.id == alert_id and alert.state != "resolved" for alert in snapshot.alerts):
        return
    try:
        with connection_now().open() as client:
            show_alert(snapshot, client.alert(alert_id))
    except DaemonError as error:
        st.warning(f"The alert of this link cannot be shown: {plain(str(error))}")


def _show_deployment(snapshot: Snapshot, deployment: DeploymentItem, statuses: list[SetStatus]) -> None:
    state = badge(state_of(snapshot, deployment.name, statuses))
    st.header(f"{plain(deployment.name)} {state}", anchor=False, divider="gray")
    _show_facts(snapshot, deployment)
    show_review_link(deployment)
    for start in range(0, len(statuses), 2):
        for column, status in zip(st.columns(2), statuses[start : start + 2], strict=False):
            with column:
                show_set(snapshot, status)
    diagnosis = next((row for row in snapshot.diagnoses if row.deployment == deployment.name), None)
    if diagnosis is not None:
        show_diagnosis(diagnosis)
    if not statuses:
        st.caption("No eval set is configured for this deployment, so driftd replays nothing for it.")
    _show_history(snapshot, deployment.name, statuses)
    runs, changes, alerts = st.tabs(["Last runs", "Versions and changes", "Alerts"])
    with runs:
        show_runs(snapshot, [run for run in snapshot.runs if run.deployment == deployment.name])
    with changes:
        show_changes(snapshot, [row for row in snapshot.changes if row.deployment == deployment.name])
    with alerts:
        show_alerts([row for row in snapshot.alerts if row.deployment == deployment.name])


def _show_facts(snapshot: Snapshot, deployment: DeploymentItem) -> None:
    version, change, traffic, alerts = st.columns([3, 4, 2, 1])
    newest = next((row for row in snapshot.changes if row.deployment == deployment.name), None)
    current = deployment.current_version
    name = "current version" if deployment.contradiction is None else "current version, observed"
    _fact(version, name, plain(current.label) if current is not None else "no data")
    when = f", {ago(newest.at, snapshot.now)}" if newest is not None else ""
    step = plain(describe_change(snapshot, newest)) if newest is not None else "none in this period"
    _fact(change, f"last change{when}", step)
    today = f", {deployment.today.calls:,} today" if deployment.today is not None else ""
    _fact(traffic, "interactions", f"{deployment.interactions:,}{today}")
    _fact(alerts, "open alerts", str(deployment.open_alerts))
    if deployment.contradiction is not None:
        st.warning(
            f"The announced and the observed version differ: {plain(deployment.contradiction)}.", icon=":material/help:"
        )


def _fact(column: st.delta_generator.DeltaGenerator, name: str, value: str) -> None:
    column.markdown(f":gray[{name}]  \n**{value}**")


def _show_history(snapshot: Snapshot, deployment: str, statuses: list[SetStatus]) -> None:
    runs = [run for status in statuses for run in status.scored_runs]
    if not runs:
        st.caption("No scored run in this period, so there is no history to draw.")
        return
    slots = arrange(runs)
    points = [_point(run, order, statuses) for order, slot in enumerate(slots) for run in slot.runs]
    drawn = {point.series for point in points}
    colours = assign([_series(row.set_name, row.kind) for row in statuses])
    first, last = moment(slots[0].began), moment(slots[-1].began)
    st.markdown("**Pass rate of each run**")
    st.altair_chart(
        rate_chart(
            points,
            markers_between(snapshot, deployment, slots),
            {series: colour for series, colour in colours.items() if series in drawn},
            order_axis(axis_labels([slot.began for slot in slots]), 12),
            height=300,
            legend=True,
        ),
        alt=f"Pass rate of each run of {deployment} from {first} to {last}",
    )
    st.caption(
        "Each dot is one run with its own 95 % interval. A dashed line is a change of version. "
        "Runs are in order and evenly spaced. "
        "The verdicts above compare runs case by case, which is more precise than these intervals."
    )


def _point(run: RunItem, order: int, statuses: list[SetStatus]) -> RatePoint:
    """Return the point of a run. Sets that were replayed together are drawn slightly apart, so that all are visible."""
    position = next(index for index, row in enumerate(statuses) if row.set_name == run.set_name)
    return RatePoint(
        at=happened_at(run),
        order=order + APART * (position - (len(statuses) - 1) / 2),
        series=_series(run.set_name, statuses[position].kind),
        line=run.set_name,
        label=f"{run.set_name}, {run.version_label or run.version or 'unknown version'}",
        passed=run.passed,
        scored=run.scored,
    )


def _series(set_name: str, kind: str) -> str:
    return f"{set_name} ({kind})"


show()
