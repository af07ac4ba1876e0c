"""Overview: is anything regressing, since when, after which change; then each deployment in turn."""

import streamlit as st

from dashboards.charts.axes import order_axis
from dashboards.charts.rates import RatePoint, rate_chart
from dashboards.client import DaemonError
from dashboards.live import REFRESH_S, begin_page, connection_now
from dashboards.markers import describe_change, markers_between
from dashboards.palette import assign
from dashboards.panels.badge import badge
from dashboards.panels.diagnosis import show_diagnosis
from dashboards.panels.review_link import show_review_link
from dashboards.panels.set_card import show_set
from dashboards.panels.tables import show_alerts, show_changes, show_runs
from dashboards.panels.verdict import show_alert, show_answer
from dashboards.slots import arrange
from dashboards.snapshot import Snapshot
from dashboards.standing import SetStanding, happened_at, stand, state_of
from dashboards.words import ago, moment, plain, short_moment
from monitor.api.schema import DeploymentItem, RunItem

APART = 0.08  # of a slot, between sets replayed together


@st.fragment(run_every=REFRESH_S)
def show() -> None:
    snapshot = begin_page("Overview")
    standings = {deployment.name: stand(snapshot, deployment) for deployment in snapshot.deployments}
    _show_linked_alert(snapshot)
    show_answer(snapshot, [row for rows in standings.values() for row in rows])
    if not snapshot.deployments:
        st.caption("No deployment is configured; name one under `deployments` in the daemon's configuration.")
    for deployment in snapshot.deployments:
        _show_deployment(snapshot, deployment, standings[deployment.name])


def _show_linked_alert(snapshot: Snapshot) -> None:
    """The alert that a notification's link names, when it is not on the page anyway."""
    alert_id = st.query_params.get("alert")
    if alert_id is None or any(alert.id == alert_id and alert.state != "resolved" for alert in snapshot.alerts):
        return
    try:
        with connection_now().open() as client:
            show_alert(snapshot, client.alert(alert_id))
    except DaemonError as error:
        st.warning(f"The alert of this link cannot be shown: {plain(str(error))}")


def _show_deployment(snapshot: Snapshot, deployment: DeploymentItem, standings: list[SetStanding]) -> None:
    state = badge(state_of(snapshot, deployment.name, standings))
    st.header(f"{plain(deployment.name)} {state}", anchor=False, divider="gray")
    _show_facts(snapshot, deployment)
    show_review_link(deployment)
    for start in range(0, len(standings), 2):
        for column, standing in zip(st.columns(2), standings[start : start + 2], strict=False):
            with column:
                show_set(snapshot, standing)
    diagnosis = next((row for row in snapshot.diagnoses if row.deployment == deployment.name), None)
    if diagnosis is not None:
        show_diagnosis(diagnosis)
    if not standings:
        st.caption("No eval set is configured for this deployment, so nothing of it is replayed.")
    _show_history(snapshot, deployment.name, standings)
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
    _fact(traffic, "interactions seen", f"{deployment.interactions:,}{today}")
    _fact(alerts, "open alerts", str(deployment.open_alerts))
    if deployment.contradiction is not None:
        st.warning(f"Announced and observed disagree: {plain(deployment.contradiction)}.", icon=":material/help:")


def _fact(column: st.delta_generator.DeltaGenerator, name: str, value: str) -> None:
    column.markdown(f":gray[{name}]  \n**{value}**")


def _show_history(snapshot: Snapshot, deployment: str, standings: list[SetStanding]) -> None:
    runs = [run for standing in standings for run in standing.scored_runs]
    if not runs:
        st.caption("No scored run in this period, so there is no history to draw.")
        return
    slots = arrange(runs)
    points = [_point(run, order, standings) for order, slot in enumerate(slots) for run in slot.runs]
    drawn = {point.series for point in points}
    colours = assign([_series(row.set_name, row.kind) for row in standings])
    first, last = moment(slots[0].began), moment(slots[-1].began)
    st.markdown("**Pass rate of each run**")
    st.altair_chart(
        rate_chart(
            points,
            markers_between(snapshot, deployment, slots),
            {series: colour for series, colour in colours.items() if series in drawn},
            order_axis([short_moment(slot.began) for slot in slots], 12),
            height=300,
            legend=True,
        ),
        alt=f"Pass rate of each run of {deployment} from {first} to {last}",
    )
    st.caption(
        "A dot is one run with the 95 % interval of that run alone; a dashed line is a change of version. "
        "Runs are in order, evenly spaced. "
        "What a change did is judged case by case above, which sees more than these intervals."
    )


def _point(run: RunItem, order: int, standings: list[SetStanding]) -> RatePoint:
    """Sets replayed together stand a little apart, so that none hides behind another."""
    place = next(index for index, row in enumerate(standings) if row.set_name == run.set_name)
    return RatePoint(
        at=happened_at(run),
        order=order + APART * (place - (len(standings) - 1) / 2),
        series=_series(run.set_name, standings[place].kind),
        line=run.set_name,
        label=f"{run.set_name}, {run.version_label or run.version or 'unknown version'}",
        passed=run.passed,
        scored=run.scored,
    )


def _series(set_name: str, kind: str) -> str:
    return f"{set_name} ({kind})"


show()
