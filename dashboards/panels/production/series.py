"""The monitored series of a deployment with their verdicts, and the rates of corrections."""

import streamlit as st

from dashboards.charts.draw import draw_chart
from dashboards.charts.series import series_chart
from dashboards.client import DaemonError
from dashboards.formatting import amount, count, plain, step
from dashboards.panels.badge import badge
from dashboards.panels.correction_rate import show_correction_rate
from dashboards.panels.grid import grid
from dashboards.production_days import Today
from dashboards.requests.production import correction_rates, series_of
from dashboards.set_status import State, production_alerts
from dashboards.snapshot import Snapshot
from monitor.api.schema import AlertItem, ProductionSeriesItem

COLUMNS = 2
RATES = ("all", "version")  # the rates of corrections are counted over all answers, and by version


def show_series(snapshot: Snapshot, name: str, today: Today) -> None:
    """Draw the rates of corrections and each series with its verdict."""
    try:
        items = series_of(name)
    except DaemonError as error:
        st.warning(f"The series of {plain(name)} cannot be shown: {plain(str(error))}")
        return
    if not items:
        st.info("No series of this deployment is monitored: see `drift.production` in the configuration.")
        return
    _show_rates(name)
    open_ones = {row.series: row for row in production_alerts(snapshot, name)}
    for place, item in zip(grid(len(items), COLUMNS), items, strict=True):
        with place:
            _show_one(item, open_ones.get(item.series), today)
    st.caption(
        "Each dot is one UTC day. A day without data is left out, never drawn as zero. A correction counts on the "
        "day of its call; a day is included after the waiting time for corrections. A dashed line is the onset of "
        "a change."
    )


def _show_one(item: ProductionSeriesItem, alert: AlertItem | None, today: Today) -> None:
    state = State.REGRESSION if alert is not None and alert.state == "firing" else State(item.verdict)
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{plain(item.series.replace('_', ' '))}** &nbsp; {badge(state)}")
        if not item.days:
            st.caption(_no_day(today))
            return
        newest = item.days[-1]
        st.metric(f"{newest.day:%Y-%m-%d}", amount(newest.value, item.unit))
        draw_chart(series_chart(item, height=200), key=f"series {item.series}")
        detector = f" {plain(item.production.detector)}." if item.production.detector else ""
        st.caption(f"{plain(item.reason)}.{_noise(item)}{detector}")


def _no_day(today: Today) -> str:
    """Return why a series has no point, and what arrived today."""
    calls = "" if not today.calls else f" Today has {count(today.calls, 'call')} until now."
    return f"No complete day yet. driftd evaluates a day after it ends, at midnight UTC.{calls}"


def _show_rates(name: str) -> None:
    try:
        whole, by_version = (correction_rates(name, by) for by in RATES)
    except DaemonError as error:
        st.warning(f"The corrections of {plain(name)} cannot be shown: {plain(str(error))}")
        return
    show_correction_rate(whole, by_version)


def _noise(item: ProductionSeriesItem) -> str:
    noise = item.production.day_noise
    return "" if noise is None else f" Without a change, days vary by {step(noise, item.unit)}."
