"""Input drift: the traffic reports of a deployment, and the page of Evidently of one of them."""

import html

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import cut, plain
from dashboards.linked_choice import linked_select
from dashboards.panels.empty import show_empty
from dashboards.requests.production import report_page, reports_of
from dashboards.times import moment
from monitor.api.schema import ReportItem

HEIGHT = 900
SHIFTED = 0.1  # the distance above which Evidently shows a drift; driftd decides by its own evidence
# The frame has an origin of its own: scripts of the report reach neither this page nor the API, and load nothing.
FRAME = (
    '<iframe title="Report of Evidently" sandbox="allow-scripts" referrerpolicy="no-referrer" srcdoc="{page}" '
    'style="border:0;width:100%;height:{height}px;background:#fff"></iframe>'
)


def show_drift(deployment: str) -> None:
    """Draw the choice of a report, its summary, and its page when the reader asks for it."""
    reports = reports_of(deployment)
    if not reports:
        show_empty(
            "No traffic report yet: driftd compares the traffic of a day with the four weeks before, every night.",
            do="Reports need `traffic_reports.enabled` and enough calls in both windows.",
            command="driftd report traffic",
        )
        return
    ids = [report.id for report in reports]
    named = {report.id: _name(report) for report in reports}
    chosen = linked_select(st.columns(2)[0], "Report", ids, name="report", format_func=lambda id_: named[id_])
    report = reports[ids.index(chosen)]
    _show_summary(report)
    show_downloads(f"distances-{report.id}", rows_of(report))
    _show_page(report)


def rows_of(report: ReportItem) -> list[dict[str, object]]:
    """Return one row a column, the largest distance first."""
    columns = sorted(report.distances, key=lambda name: -(report.distances[name] or 0.0))
    return [
        {
            "column": name,
            "distance": report.distances[name],
            "values before": report.counts.get(name, (0, 0))[0],
            "values in the window": report.counts.get(name, (0, 0))[1],
        }
        for name in columns
    ]


def _name(report: ReportItem) -> str:
    verdict = report.evidence.get("verdict")
    return f"{report.since:%Y-%m-%d} · {verdict or report.state}"


def _show_summary(report: ReportItem) -> None:
    st.markdown(
        f"Traffic of **{moment(report.since)}** to **{moment(report.until)}**, compared with the traffic since "
        f"{moment(report.reference_since)}. State: **{plain(report.state)}**. {plain(report.reason)}"
    )
    verdict = report.evidence.get("verdict")
    if isinstance(verdict, str):
        st.markdown(f"Verdict of the error control over all nights: **{plain(verdict)}**.")
    if report.distances:
        st.dataframe(
            rows_of(report),
            hide_index=True,
            key=f"distances of {report.id}",
            column_config={"distance": st.column_config.NumberColumn(format="%.3f", help=_HELP)},
            alt="Distance of each column of the traffic from the reference",
        )


_HELP = (
    "Numbers: Wasserstein distance in standard deviations of the reference, on log2(1 + value). Labels: Jensen-Shannon "
    "distance, at most 0.83. Empty: fewer than 50 values in a window."
)


def _show_page(report: ReportItem) -> None:
    if not report.page:
        st.caption("This report has no page: it was not created, or retention removed it. The distances above remain.")
        return
    if not st.toggle("Show the page of Evidently", key=f"page of {report.id}"):
        st.caption("The page has the distributions of each column. It needs no network and contains no text of users.")
        return
    page = report_page(report)
    st.iframe(FRAME.format(page=html.escape(page), height=HEIGHT), height=HEIGHT + 20, alt="Report of Evidently")
    st.caption(f"Evidently marks distances above {SHIFTED}; the verdict of driftd is above.")
    st.download_button(
        "Download the page",
        data=page,
        file_name=f"{cut(report.id, 80)}.html",
        mime="text/html",
        key=f"download page {report.id}",
        on_click="ignore",
    )
