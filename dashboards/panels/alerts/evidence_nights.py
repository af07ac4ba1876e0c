"""The evidence of an alert over the nights: the rate with its interval, and the distance to an alarm."""

import streamlit as st

from dashboards.alarm_share import evidence_text, share_of_alarm
from dashboards.charts.draw import draw_chart
from dashboards.charts.evidence import evidence_chart, rate_over_nights
from dashboards.downloads import show_downloads
from dashboards.formatting import NO_DATA, count, percent, plain, points
from dashboards.panels.empty import show_empty
from dashboards.times import moment, zone_name
from monitor.api.schema import AlertItem
from monitor.api.schema.alert_details import AlertEvidenceItem, AlertNightItem

FEWEST = 2  # nights in a chart


def show_nights(alert: AlertItem, found: AlertEvidenceItem) -> None:
    """Draw both charts and a table with the same numbers."""
    rated = [night for night in found.nights if night.rate is not None]
    tested = [
        night for night in found.nights if share_of_alarm(night) > 0 or night.e is not None or night.p is not None
    ]
    if len(found.nights) < FEWEST or (len(rated) < FEWEST and not tested):
        show_empty(
            "No night has evidence for a chart.",
            do="Alerts of a source or of driftd itself have no nights: the message and the runbook say what to check.",
        )
        return
    unit = "Pass rate" if found.is_share else "Mean score"
    if len(rated) >= FEWEST:
        whole = "all cases" if found.rate_of == "overall" else plain(found.rate_of)
        st.markdown(f"**{unit} of {whole}**")
        draw_chart(rate_over_nights(alert, found, unit=unit, zone=zone_name()), key="rate over nights")
    if tested:
        st.markdown(f"**Evidence in {plain(found.channel)}**")
        draw_chart(evidence_chart(alert, found, zone=zone_name()), key="evidence over nights")
        st.caption(
            "100 % is an alarm. The scale is logarithmic: 50 % is the square root of the evidence that an alarm needs. "
            "A solid line is the time of the alert, a dashed line a change of version. "
            f"{_untested(len(found.nights) - len(tested))}"
        )
    with st.expander(f"The numbers of {count(len(found.nights), 'night')}"):
        rows = [_row(night) for night in reversed(found.nights)]
        st.dataframe(rows, hide_index=True, key="nights of the alert")
        show_downloads(f"evidence of {alert.id}", [_raw(night) for night in found.nights])


def _untested(nights: int) -> str:
    return f"{count(nights, 'night')} without a test: the baseline, or too few cases." if nights else ""


def _row(night: AlertNightItem) -> dict[str, object]:
    interval = night.interval
    return {
        "night": moment(night.at),
        "version": night.version_label or night.version or "unknown",
        "verdict": night.verdict,
        "rate": percent(night.rate),
        "cases": night.cases,
        "points": NO_DATA if night.delta is None else points(night.delta),
        "95 % interval": NO_DATA if interval is None else f"{points(interval[0])} to {points(interval[1])}",
        "evidence": evidence_text(night),
        "share of an alarm": f"{100 * share_of_alarm(night):.0f} %",
        "run": night.run_id or "",
    }


def _raw(night: AlertNightItem) -> dict[str, object]:
    return night.model_dump(mode="json") | {"share_of_alarm": share_of_alarm(night)}
