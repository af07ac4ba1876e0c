"""Production: what the product itself shows, day by day, and whether it is still what it was."""

import streamlit as st

from dashboards.charts.series import series_chart
from dashboards.client import DaemonError
from dashboards.live import begin_page, connection_now
from dashboards.panels.badge import badge
from dashboards.snapshot import Snapshot
from dashboards.standing import State, production_alerts
from dashboards.words import amount, count, plain, step
from monitor.api.schema import AlertItem, ProductionSeriesItem

MOST = 50
COLUMNS = 2
CACHE_S = 60.0  # days change once a day, and counting them reads every call


def show() -> None:
    """Drawn when it is opened and when something is picked, and not by the clock."""
    snapshot = begin_page("Production")
    name = _choose(snapshot)
    if name is None:
        st.info("**No data yet.** No deployment is configured.")
        return
    try:
        items = _series(name)
    except DaemonError as error:
        st.warning(f"The days of {plain(name)} cannot be shown: {plain(str(error))}")
        return
    if not items:
        st.info("No series of this deployment is monitored: see `drift.production` in the configuration.")
        return
    _show_today(snapshot, name)
    open_ones = {row.series: row for row in production_alerts(snapshot, name)}
    for start in range(0, len(items), COLUMNS):
        for column, item in zip(st.columns(COLUMNS), items[start : start + COLUMNS], strict=False):
            with column:
                _show_series(item, open_ones.get(item.series))
    st.caption(
        "A dot is one UTC day with data; a day without is missing, never zero. Corrections count on the day of their "
        "call, once every day has had the same time for them. A dashed line is where a change began."
    )


def _choose(snapshot: Snapshot) -> str | None:
    names = [row.name for row in snapshot.deployments]
    asked = st.query_params.get("deployment")
    alerted = next((row.deployment for row in production_alerts(snapshot)), None)
    first = next((names.index(name) for name in (asked, alerted) if name in names), 0)
    return st.selectbox("Deployment", names, index=first if names else None, key="deployment of production")


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _series(deployment: str) -> list[ProductionSeriesItem]:
    with connection_now().open() as client:
        return client.items("production", ProductionSeriesItem, most=MOST, deployment=deployment)


def _show_series(item: ProductionSeriesItem, alert: AlertItem | None) -> None:
    state = State.REGRESSION if alert is not None and alert.state == "firing" else State(item.verdict)
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{plain(item.series)}** &nbsp; {badge(state)}")
        if not item.days:
            st.caption("No complete day yet. A day is judged after it is over, at midnight UTC.")
            return
        newest = item.days[-1]
        st.metric(f"{newest.day:%Y-%m-%d}", amount(newest.value, item.unit))
        st.altair_chart(series_chart(item, height=200), key=f"series {item.series}")
        st.caption(f"{plain(item.reason)}.{_noise(item)}")


def _show_today(snapshot: Snapshot, name: str) -> None:
    """Today's counts: the day is not over, so no series below holds it."""
    today = next((row.today for row in snapshot.deployments if row.name == name), None)
    if today is None:
        return
    failed = f", {count(today.failed, 'failed call')}" if today.failed else ""
    st.markdown(
        f"**Today so far:** {count(today.calls, 'call')}, {count(today.corrections, 'correction')}{failed}. "
        "Today is judged when it is over (UTC)."
    )


def _noise(item: ProductionSeriesItem) -> str:
    noise = item.production.day_noise
    return "" if noise is None else f" Days differ by {step(noise, item.unit)} by themselves."


show()
