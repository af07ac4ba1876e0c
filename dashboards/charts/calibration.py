"""Agreement of judges with people over time, and the rounds of sentinels."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from dashboards.charts.axes import rows, x_pixel
from dashboards.charts.days import day_axis
from dashboards.charts.layers import LayeredChart
from dashboards.formatting import count
from dashboards.palette import assign, colours
from dashboards.times import moment_in_zone
from monitor.api.schema.judge_history import (
    CalibrationPointItem,
    JudgeCalibrationItem,
    JudgeHistoryItem,
    SentinelRoundItem,
)

HEIGHT = 240
MEASURES = {"kappa": "Cohen's kappa", "agreement": "Same verdict as people (%)"}


def calibration_chart(found: JudgeHistoryItem, measure: str, *, zone: str) -> LayeredChart | None:
    """Return the agreement after each day with reviews, with its 95 % interval, one series a judge; None without one.

    A rule is the kappa that is needed: the interval must begin above it.
    """
    drawn = [row for each in found.judges for point in each.points if (row := _row(each, point, measure)) is not None]
    if not drawn:
        return None
    names = list(dict.fromkeys(str(row["judge"]) for row in drawn))
    chosen = assign(names)
    colour = alt.Color(
        "judge:N",
        scale=alt.Scale(domain=names, range=[chosen[name] for name in names]),
        legend=alt.Legend(orient="top", title=None, labelLimit=420, columns=1),
    )
    lowest = min(0.0, *(float(row["low"]) for row in drawn))
    form = ".0%" if measure == "agreement" else ".1f"
    y = alt.Y(
        "value:Q",
        title=MEASURES[measure],
        scale=alt.Scale(domain=[lowest, 1.0], nice=True),
        axis=alt.Axis(format=form, gridColor=colours().grid, domain=False, ticks=False, tickCount=6),
    )
    times = sorted(point.at for each in found.judges for point in each.points)
    x = day_axis("at", times, title=f"Day of reviews ({zone})")
    base = alt.Chart(rows(drawn)).encode(x=x, color=colour, tooltip=_tips(_TIPS))
    shape = alt.Shape("judge:N", scale=alt.Scale(domain=names), legend=None)
    layers = [
        base.mark_line(strokeWidth=1.3, opacity=0.6).encode(y=y, detail=alt.Detail("judge:N")),
        base.mark_rule(strokeWidth=2.4, opacity=0.5).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_point(filled=True, opacity=1, size=60).encode(y=y, shape=shape),
    ]
    if measure == "kappa":
        layers = [*_needed(found.needed_kappa, y), *layers]
    return LayeredChart(layers, HEIGHT)


def rounds_chart(found: Sequence[SentinelRoundItem], *, zone: str) -> LayeredChart:
    """Return how many sentinels of each round are stricter or kinder than the reference, or against people."""
    kinds = {"fell": "stricter", "rose": "kinder", "disagrees": "against people"}
    drawn = [
        {"at": row.at.isoformat(), "kind": kinds[kind], "n": number, "of": f"{number} of {row.judged}"}
        | {"when": moment_in_zone(row.at)}
        for row in found
        for kind, number in (("fell", row.fell), ("rose", row.rose), ("disagrees", row.judged - row.agrees))
    ]
    names = list(kinds.values())
    chosen = assign(names)
    y = alt.Y(
        "n:Q",
        title="Sentinels",
        scale=alt.Scale(domain=[0, max(int(str(row["n"])) for row in drawn) + 2]),
        axis=alt.Axis(gridColor=colours().grid, domain=False, ticks=False, tickMinStep=1, tickCount=5),
    )
    base = alt.Chart(rows(drawn)).encode(
        x=day_axis("at", [row.at for row in found], title=f"Round ({zone})"),
        y=y,
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(domain=names, range=[chosen[name] for name in names]),
            legend=alt.Legend(orient="top", title=None, labelLimit=300),
        ),
        tooltip=_tips({"when": "round", "kind": "verdicts", "of": "sentinels"}),
    )
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=names), legend=None)
    return LayeredChart(
        [
            base.mark_line(strokeWidth=1.3, opacity=0.6),
            base.mark_point(filled=True, opacity=1, size=45).encode(shape=shape),
        ],
        HEIGHT,
    )


def judge_name(found: JudgeCalibrationItem) -> str:
    rubric = f", rubric {found.rubric}" if found.rubric else ""
    prompt = f", prompt {found.prompt[:6]}" if found.prompt else ""
    return f"{found.model or 'unknown model'}{rubric}{prompt}{'' if found.is_current else ' (earlier)'}"


_TIPS = {"when": "reviews until", "judge": "judge", "shown": "value", "range": "95 % interval", "reviews": "reviews"}


def _row(judge: JudgeCalibrationItem, point: CalibrationPointItem, measure: str) -> dict[str, Any] | None:
    found = point.kappa if measure == "kappa" else point.agreement
    if found is None:
        return None
    return {
        "at": point.at.isoformat(),
        "judge": judge_name(judge),
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "when": moment_in_zone(point.at),
        "shown": f"{found.value:.2f}",
        "range": f"{found.low:.2f} to {found.high:.2f}",
        "reviews": count(point.reviewed, "outcome"),
    }


def _needed(kappa: float, y: alt.Y) -> list[alt.Chart]:
    base = alt.Chart(rows([{"value": kappa, "label": f"needed: interval above {kappa:g}"}])).encode(y=y)
    colour = colours().series[1]
    return [
        base.mark_rule(strokeDash=[5, 4], strokeWidth=1.3, color=colour),
        base.mark_text(align="left", dx=4, dy=-7, fontSize=12, color=colour).encode(
            x=x_pixel(0), text=alt.Text("label:N")
        ),
    ]


def _tips(names: Mapping[str, str]) -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in names.items()]
