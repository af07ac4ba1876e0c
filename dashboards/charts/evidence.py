"""The nights of an alert on a time axis: its rate with the 95 % interval, and its evidence."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

import altair as alt

from dashboards.alarm_share import evidence_text, share_of_alarm
from dashboards.charts.axes import rows, x_pixel, y_pixel
from dashboards.charts.days import day_axis
from dashboards.charts.layers import LayeredChart
from dashboards.formatting import cut, percent
from dashboards.intervals import rate_interval
from dashboards.palette import colours
from dashboards.times import moment_in_zone
from monitor.api.schema import AlertItem
from monitor.api.schema.alert_details import AlertEvidenceItem, AlertNightItem

HEIGHT = 220
MOST_SHARE = 4.0  # a larger share is drawn here, and the tooltip has its value
LABEL_CHARS = 28
LABEL_SPACE = 0.16  # of the rate axis, for labels
HEADROOM = 1.18  # of the evidence axis, for labels


def rate_over_nights(alert: AlertItem, found: AlertEvidenceItem, *, unit: str, zone: str) -> LayeredChart:
    """Return the rate of each night with its 95 % interval. A mean score has no interval here: the table has that of
    its difference.
    """
    nights = [night for night in found.nights if night.rate is not None]
    drawn = [_rate_row(night, is_share=found.is_share) for night in nights]
    x = day_axis("at", [night.at for night in found.nights], title=f"Night ({zone})")
    y = alt.Y(
        "rate:Q",
        title=f"{unit} (%)",
        scale=_rate_scale(drawn),
        axis=alt.Axis(
            format=".0%",
            gridColor=colours().grid,
            domain=False,
            ticks=False,
            tickCount=5,
            labelExpr="datum.value > 1 ? '' : datum.label",
        ),
    )
    tooltip = [alt.Tooltip(f"{name}:N", title=title) for name, title in _RATE_TIPS.items()]
    base = alt.Chart(rows(drawn)).encode(x=x, tooltip=tooltip)
    colour = colours().series[0]
    line = base.mark_line(strokeWidth=1.3, opacity=0.5, color=colour).encode(y=y)
    point = base.mark_point(filled=True, opacity=1, size=45, color=colour).encode(y=y)
    spread = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2.2, opacity=0.5, color=colour)
        .encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q"))
    )
    return LayeredChart([*_marks(alert, nights, x), line, spread, point], HEIGHT)


def evidence_chart(alert: AlertItem, found: AlertEvidenceItem, *, zone: str) -> LayeredChart:
    """Return the evidence of each tested night as a share of what an alarm needs, with a rule at the alarm."""
    drawn = [_evidence_row(night) for night in found.nights if (night.e, night.p) != (None, None)]
    highest = max([1.0, *(float(row["share"]) for row in drawn)])
    x = day_axis("at", [night.at for night in found.nights], title=f"Night ({zone})")
    y = alt.Y(
        "share:Q",
        title="Evidence (% of an alarm)",
        scale=alt.Scale(domain=[0.0, highest * HEADROOM], nice=False),
        axis=alt.Axis(format=".0%", gridColor=colours().grid, domain=False, ticks=False, tickCount=5),
    )
    tooltip = [alt.Tooltip(f"{name}:N", title=title) for name, title in _EVIDENCE_TIPS.items()]
    base = alt.Chart(rows(drawn)).encode(x=x, tooltip=tooltip)
    theme = colours()
    alarm = alt.Chart(rows([{"share": 1.0, "label": "alarm"}])).encode(y=y)
    threshold = alarm.mark_rule(strokeWidth=1.4, color=theme.series[1])
    name = alarm.mark_text(align="left", dx=4, dy=-7, fontSize=12, color=theme.series[1]).encode(
        x=x_pixel(0), text=alt.Text("label:N")
    )
    line = base.mark_line(strokeWidth=1.3, opacity=0.6, color=theme.series[0]).encode(y=y)
    reached = alt.Shape(
        "alarm:N",
        scale=alt.Scale(domain=["below", "alarm"], range=["circle", "triangle-up"]),
        legend=None,
    )
    point = base.mark_point(filled=True, opacity=1, size=70, color=theme.series[0]).encode(y=y, shape=reached)
    return LayeredChart([*_marks(alert, found.nights, x), threshold, name, line, point], HEIGHT)


_RATE_TIPS = {"when": "night", "version": "version", "shown": "rate", "range": "95 % interval", "cases": "cases"}
_EVIDENCE_TIPS = {"when": "night", "verdict": "verdict", "shown": "share of an alarm", "numbers": "evidence"}


def _rate_scale(drawn: Sequence[Mapping[str, Any]]) -> alt.Scale:
    """Return a scale of shares around the intervals, with space at the top for the labels of changes."""
    lowest = min(row["rate"] if row["low"] is None else row["low"] for row in drawn)
    highest = max(row["rate"] if row["high"] is None else row["high"] for row in drawn)
    space = max(0.01, 0.06 * (highest - lowest))
    bottom, top = max(0.0, lowest - space), min(1.0, highest + space)
    return alt.Scale(domain=[bottom, top + LABEL_SPACE * (top - bottom)], nice=False, zero=False)


def _rate_row(night: AlertNightItem, *, is_share: bool) -> dict[str, Any]:
    rate, cases = night.rate or 0.0, night.cases or 0
    found = rate_interval(round(rate * cases), cases) if is_share else None
    return {
        "at": night.at.isoformat(),
        "rate": rate,
        "low": found and found.low,
        "high": found and found.high,
        "when": moment_in_zone(night.at),
        "version": night.version_label or night.version or "unknown",
        "shown": percent(rate),
        "range": "none" if found is None else f"{percent(found.low)} to {percent(found.high)}",
        "cases": f"{cases:,}",
    }


def _evidence_row(night: AlertNightItem) -> dict[str, Any]:
    share = share_of_alarm(night)
    return {
        "at": night.at.isoformat(),
        "share": min(share, MOST_SHARE),
        "alarm": "alarm" if share >= 1.0 else "below",
        "when": moment_in_zone(night.at),
        "verdict": night.verdict,
        "shown": f"{100 * share:.0f} %",
        "numbers": evidence_text(night),
    }


def _marks(alert: AlertItem, nights: Sequence[AlertNightItem], x: alt.X) -> list[alt.Chart]:
    """Return a dashed rule with a label at each change of version, and a rule at the time of the alert."""
    if not nights:
        return []
    ink = colours().ink
    marks: list[alt.Chart] = []
    for at, label in _changes(nights):
        right = _is_late(at, nights)
        base = alt.Chart(rows([{"at": at.isoformat(), "label": cut(label, LABEL_CHARS)}])).encode(x=x)
        marks.append(base.mark_rule(strokeDash=[5, 4], strokeWidth=1.2, color=ink))
        marks.append(
            base.mark_text(
                align="right" if right else "left", dx=-6 if right else 6, baseline="top", fontSize=12, color=ink
            ).encode(y=y_pixel(2), text=alt.Text("label:N"))
        )
    fired = alert.fired_at
    if fired is not None and nights[0].at <= fired:
        row = {"at": min(fired, nights[-1].at).isoformat()}
        marks.append(alt.Chart(rows([row])).mark_rule(strokeWidth=1.2, color=colours().neutral).encode(x=x))
    return marks


def _changes(nights: Sequence[AlertNightItem]) -> list[tuple[datetime, str]]:
    """Return the middle between two nights with different versions, and the label of the new version."""
    found = []
    for before, after in pairwise(nights):
        if before.version != after.version and after.version is not None:
            found.append((before.at + (after.at - before.at) / 2, f"→ {after.version_label or after.version}"))
    return found


def _is_late(at: datetime, nights: Sequence[AlertNightItem]) -> bool:
    whole = (nights[-1].at - nights[0].at).total_seconds()
    return whole > 0 and (at - nights[0].at).total_seconds() / whole > 0.5
