"""Metrics: every scorer and component of an eval set as a series of its own, and the components as a radar."""

import streamlit as st

from dashboards.charts.draw import draw_chart
from dashboards.charts.trends import trend_chart
from dashboards.client import DaemonError
from dashboards.formatting import percent, plain
from dashboards.live import REFRESH_S, begin_page, connection_now
from dashboards.metric_series import decision_of, newest_night, title_of, trend_of
from dashboards.panels.choose_set import choose_linked_set
from dashboards.panels.component_radar import show_radars
from dashboards.panels.legend import show_changes_of_chart, show_legend
from dashboards.panels.metric_table import show_metrics
from dashboards.panels.metrics_view import MetricsView
from dashboards.set_status import SetStatus
from monitor.api.schema.metrics import MetricItem, SetMetricsItem

COLUMNS = 3
MOST_SHOWN = 12  # small multiples that are drawn at first
MOST_NIGHTS = 400


@st.fragment(run_every=REFRESH_S)
def show() -> None:
    chosen = choose_linked_set(begin_page("Metrics"))
    if chosen is None:
        st.info("**No data yet.** No deployment with an eval set is configured.")
        return
    snapshot, status = chosen
    runs = status.scored_runs[::-1]
    found = _read(status, len(runs)) if runs else None
    if found is None or not found.metrics:
        st.info(f"**No data yet.** No run of {plain(status.set_name)} was scored in this period. Choose a longer one.")
        return
    st.caption(decision_of(found))
    view = MetricsView.of(snapshot, status.deployment, runs)
    if found.verdict is not None:
        st.subheader("The deciding verdict", anchor=False)
        _chart(found.verdict, view, large=True)
    show_legend(view.colours)
    show_changes_of_chart(snapshot, view.changes)
    if found.verdict is None or len(found.metrics) > 1:  # a single metric is the verdict that is drawn above
        _show_metrics(found, view)
    show_radars(found, view.placed, view.colours)
    show_metrics(found)


def _read(status: SetStatus, runs: int) -> SetMetricsItem:
    try:
        with connection_now().open() as client:
            return client.set_metrics(status.deployment, status.set_name, nights=min(MOST_NIGHTS, max(runs, 1)))
    except DaemonError as error:
        st.error(f"**The metrics cannot be shown.** {plain(str(error))}", icon=":material/cloud_off:")
        st.stop()


def _show_metrics(found: SetMetricsItem, view: MetricsView) -> None:
    st.subheader("Every metric", anchor=False)
    st.caption("Each dot is the mean of one run with its 95 % interval, coloured by the version that answered.")
    names = [metric.metric or "" for metric in found.metrics]
    chosen = st.multiselect(
        "Metrics", names, default=names[:MOST_SHOWN], key=f"metrics of {found.deployment} {found.set_name}"
    )
    visible = [metric for metric in found.metrics if metric.metric in chosen]
    wide = min(COLUMNS, max(1, len(visible)))
    for start in range(0, len(visible), wide):
        for column, metric in zip(st.columns(wide), visible[start : start + wide], strict=False):
            with column:
                newest = newest_night(metric)
                now = "no data" if newest is None else f"now {percent(newest.mean)}"
                st.markdown(f"**{title_of(metric)}** :gray[{now}]")
                _chart(metric, view, large=False)


def _chart(metric: MetricItem, view: MetricsView, *, large: bool) -> None:
    points = trend_of(metric, view.placed, view.places)
    if not points:
        st.caption("No run of this period has a value.")
        return
    chart = trend_chart(
        points,
        view.markers,
        view.colours,
        view.axis.x(8 if large else 4),
        title="pass rate" if metric.metric is None else "mean",
        height=280 if large else 190,
        legend=False,
    )
    draw_chart(chart, key=f"metric {metric.metric} of {view.placed.key}")


show()
