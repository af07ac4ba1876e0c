"""Production: the daily values of production traffic, and whether they changed."""

import streamlit as st

from dashboards.charts.series import series_chart
from dashboards.client import DaemonError
from dashboards.connection import Connection
from dashboards.formatting import amount, count, plain, step
from dashboards.live import begin_page, connection_now
from dashboards.panels.badge import badge
from dashboards.panels.correction_rate import show_correction_rate
from dashboards.set_status import State, production_alerts
from dashboards.snapshot import Snapshot
from monitor.api.schema import AlertItem, CorrectionRates, ProductionSeriesItem

MOST = 50
COLUMNS = 2
CACHE_S = 60.0  # daily values change once a day, and the daemon reads every call to count them


def show() -> None:
    """Draw the page when it is opened and after each selection, without a timer."""
    snapshot = begin_page("Production")
    name = _choose(snapshot)
    if name is None:
        st.info("**No data yet.** No deployment is configured.")
        return
    try:
        items = _series(connection_now(), name)
    except DaemonError as error:
        st.warning(f"The daily values of {plain(name)} cannot be shown: {plain(str(error))}")
        return
    if not items:
        st.info("No series of this deployment is monitored: see `drift.production` in the configuration.")
        return
    _show_today(snapshot, name)
    _show_rates(name)
    open_ones = {row.series: row for row in production_alerts(snapshot, name)}
    for start in range(0, len(items), COLUMNS):
        for column, item in zip(st.columns(COLUMNS), items[start : start + COLUMNS], strict=False):
            with column:
                _show_series(item, open_ones.get(item.series))
    st.caption(
        "Each dot is one UTC day. A day without data is left out, never drawn as zero. A correction counts on the "
        "day of its call; a day is included after the waiting time for corrections. A dashed line is the onset of "
        "a change."
    )


def _choose(snapshot: Snapshot) -> str | None:
    names = [row.name for row in snapshot.deployments]
    linked = st.query_params.get("deployment")
    alerted = next((row.deployment for row in production_alerts(snapshot)), None)
    first = next((names.index(name) for name in (linked, alerted) if name in names), 0)
    return st.selectbox("Deployment", names, index=first if names else None, key="deployment of production")


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _series(connection: Connection, deployment: str) -> list[ProductionSeriesItem]:
    with connection.open() as client:
        return client.items("production", ProductionSeriesItem, most=MOST, deployment=deployment)


def _show_series(item: ProductionSeriesItem, alert: AlertItem | None) -> None:
    state = State.REGRESSION if alert is not None and alert.state == "firing" else State(item.verdict)
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{plain(item.series.replace('_', ' '))}** &nbsp; {badge(state)}")
        if not item.days:
            st.caption("No complete day yet. driftd evaluates a day after it ends, at midnight UTC.")
            return
        newest = item.days[-1]
        st.metric(f"{newest.day:%Y-%m-%d}", amount(newest.value, item.unit))
        st.altair_chart(series_chart(item, height=200), key=f"series {item.series}")
        detector = f" {plain(item.production.detector)}." if item.production.detector else ""
        st.caption(f"{plain(item.reason)}.{_noise(item)}{detector}")


def _show_today(snapshot: Snapshot, name: str) -> None:
    """Show the counts of today. The day is not over, so the series below do not include it."""
    today = next((row.today for row in snapshot.deployments if row.name == name), None)
    if today is None:
        return
    failed = f", {count(today.failed, 'failed call')}" if today.failed else ""
    st.markdown(
        f"**Today until now:** {count(today.calls, 'call')}, {count(today.corrections, 'correction')}{failed}. "
        "driftd evaluates today after midnight UTC."
    )


def _show_rates(name: str) -> None:
    try:
        whole, by_version = (_rates(connection_now(), name, by) for by in ("all", "version"))
    except DaemonError as error:
        st.warning(f"The corrections of {plain(name)} cannot be shown: {plain(str(error))}")
        return
    show_correction_rate(whole, by_version)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _rates(connection: Connection, deployment: str, by: str) -> CorrectionRates:
    with connection.open() as client:
        return client.correction_rates(deployment, by)


def _noise(item: ProductionSeriesItem) -> str:
    noise = item.production.day_noise
    return "" if noise is None else f" Without a change, days vary by {step(noise, item.unit)}."


show()
