from datetime import UTC, datetime
from typing import Any

import pytest

from dashboards.charts.axes import order_axis, rate_axis
from dashboards.charts.changes import Marker
from dashboards.charts.layers import LayeredChart
from dashboards.charts.rates import RatePoint, rate_chart
from dashboards.charts.share_areas import CHOSEN, ShareStep, share_areas
from dashboards.charts.strips import strip_chart
from dashboards.charts.time_axis import TimeAxis
from dashboards.charts.trends import TrendPoint
from dashboards.palette import DARK, LIGHT, Colours, assign

from .items import FIRST_NIGHT

X = TimeAxis.of([datetime(2026, 3, day, tzinfo=UTC) for day in (2, 3, 4)]).x(8)


def point(order: float, passed: int, scored: int) -> RatePoint:
    return RatePoint(at=FIRST_NIGHT, order=order, series="v1", line="0", label="v1", passed=passed, scored=scored)


def marker(order: float, share: float, label: str = "→ v2") -> Marker:
    return Marker(label=label, detail="v1 → v2", share=share, order=order)


def drawn(chart: LayeredChart) -> dict[str, Any]:
    """Return the specification, validated against the schema of Vega-Lite."""
    specification: dict[str, Any] = chart.to_dict()
    return specification


def layer(chart: LayeredChart, mark: str) -> list[dict[str, Any]]:
    return [row for row in drawn(chart)["layer"] if row["mark"]["type"] == mark]


def values(chart: LayeredChart, of: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of one layer. Altair stores equal data once, above the layers that share it."""
    whole = drawn(chart)
    rows: list[dict[str, Any]] = whole["datasets"][(of.get("data") or whole["data"])["name"]]
    return rows


def rates(points: list[RatePoint], markers: list[Marker] | None = None, **fields: Any) -> LayeredChart:
    return rate_chart(points, markers or [], {"v1": "#000000"}, X, **{"height": 300, "legend": True, **fields})


def test_a_run_without_a_score_is_not_drawn_as_zero() -> None:
    chart = rates([point(0, 8, 10), point(1, 0, 0)])
    (points,) = layer(chart, "point")
    assert [row["order"] for row in values(chart, points)] == [0]


def test_each_point_carries_its_interval_and_its_counts() -> None:
    chart = rates([point(0, 8, 10)])
    (points,) = layer(chart, "point")
    (row,) = values(chart, points)
    assert (row["rate"], round(row["low"], 3), round(row["high"], 3)) == (0.8, 0.49, 0.943)
    assert (row["cases"], row["interval"]) == ("8 of 10 passed", "49.0 % to 94.3 %")


def test_change_labels_extend_away_from_the_edge() -> None:
    chart = rates([point(0, 8, 10)], [marker(0.5, 0.2), marker(1.5, 0.9)])
    (labels,) = layer(chart, "text")
    assert [(row["align"], row["order"], row["top"]) for row in values(chart, labels)] == [
        ("left", 0.5, 2),
        ("right", 1.5, 17),
    ]
    assert labels["mark"]["align"] == {"expr": "datum.align"}
    assert len([row for row in layer(chart, "rule") if row["mark"].get("strokeDash")]) == 1


def test_without_a_change_there_is_no_rule() -> None:
    assert not [row for row in layer(rates([point(0, 8, 10)]), "rule") if row["mark"].get("strokeDash")]
    assert not layer(rates([point(0, 8, 10)]), "text")


def test_space_for_labels_is_reserved_only_when_there_are_labels() -> None:
    def top(markers: list[Marker]) -> float:
        (points,) = layer(rates([point(0, 50, 100)], markers), "point")
        return float(points["encoding"]["y"]["scale"]["domain"][1])

    assert top([marker(0.5, 0.2)]) > top([marker(0.5, 0.2, label="")]) == top([])


def test_the_rate_axis_contains_all_intervals_and_has_no_tick_above_100_percent() -> None:
    for lowest, highest in [(0.0, 1.0), (0.63, 0.81), (0.979, 0.99), (0.02, 0.05), (0.5, 0.5)]:
        axis: Any = rate_axis("rate", lowest, highest, height=300, headroom=False).to_dict()
        ticks, (bottom, top) = axis["axis"]["values"], axis["scale"]["domain"]
        assert 0.0 <= bottom <= lowest <= highest <= top
        assert ticks[0] == bottom
        assert ticks[-1] <= 1.0
        assert 2 <= len(ticks) <= 8


def test_the_newest_run_has_a_label_and_the_number_of_labels_is_bounded() -> None:
    specification: Any = order_axis([f"run {number}" for number in range(100)], 12).to_dict()
    axis = specification["axis"]
    assert axis["values"][-1] == 99
    assert len(axis["values"]) <= 12


def test_a_label_cannot_break_out_of_the_axis_expression() -> None:
    specification: Any = order_axis(['"]; alert(1)//'], 12).to_dict()
    assert specification["axis"]["labelExpr"] == '["\\"]; alert(1)//"][datum.value]'


def step(category: str, low: float, high: float) -> ShareStep:
    return ShareStep(
        key="run-1",
        when="2026-03-02 02:00 UTC",
        version="v1",
        failure_category=category,
        count=round(100 * (high - low)),
        of=100,
        begin=0.0,
        end=1.0,
        low=low,
        high=high,
    )


def test_areas_are_shares_and_a_click_selects_the_run_and_the_category() -> None:
    steps = [step("wrong", 0.0, 0.07), step("format", 0.07, 0.1)]
    palette = {"wrong": "#000000", "format": "#ffffff"}
    chart = share_areas(steps, [marker(0.5, 0.2, "A")], palette, X, title="share of scored cases", height=300)
    (areas,) = layer(chart, "rect")
    assert [(row["low"], row["high"], row["cases"]) for row in values(chart, areas)] == [
        (0.0, 0.07, "7 of 100"),
        (0.07, 0.1, "3 of 100"),
    ]
    assert areas["encoding"]["y"]["title"] == "share of scored cases"
    (selection,) = areas["params"]
    assert (selection["name"], selection["select"]["fields"]) == (CHOSEN, ["key", "failure_category"])


def test_names_keep_their_colour_and_uncategorised_is_grey() -> None:
    assert assign(["a", "uncategorised", "b"], grey=("uncategorised",)) == {
        "a": LIGHT.series[0],
        "uncategorised": LIGHT.neutral,
        "b": LIGHT.series[1],
    }
    assert assign([str(number) for number in range(9)])["8"] == LIGHT.series[0]


@pytest.mark.parametrize(("theme", "background"), [(LIGHT, "#ffffff"), (DARK, "#10161d")])
def test_every_colour_of_a_theme_has_the_contrast_of_graphics(theme: Colours, background: str) -> None:
    """3:1 for graphics and 4.5:1 for text (WCAG 2.2, 1.4.11 and 1.4.3)."""
    drawn = {colour: contrast(colour, background) for colour in (*theme.series, theme.neutral)}
    assert {colour: ratio for colour, ratio in drawn.items() if ratio < 3.0} == {}
    assert contrast(theme.ink, background) >= 4.5


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def strip_points(values: list[float]) -> list[TrendPoint]:
    return [
        TrendPoint(
            at=FIRST_NIGHT,
            order=float(at),
            series="v1",
            line="0",
            label="v1",
            value=value,
            low=max(0.0, value - 0.02),
            high=min(1.0, value + 0.02),
            cases="1 of 2",
        )
        for at, value in enumerate(values)
    ]


@pytest.mark.parametrize("ranges", [[0.9, 0.98], [0.0, 1.0], [0.5, 0.5], [0.013, 0.017]])
def test_strips_are_above_each_other_and_never_overlap(ranges: list[float]) -> None:
    series = {"first": strip_points(ranges), "second": strip_points(ranges[::-1])}
    chart = strip_chart(series, [marker(0.5, 0.2, "A")], {"v1": "#000000"}, X, title="pass rate")
    (points,) = layer(chart, "point")
    drawn_rows = values(chart, points)
    tops = {name: [row for row in drawn_rows if row["name"] == name] for name in series}
    assert all(1 <= row["low"] <= row["value"] <= row["high"] <= 2 for row in tops["first"])
    assert all(0 <= row["low"] <= row["value"] <= row["high"] <= 1 for row in tops["second"])
    axis = points["encoding"]["y"]
    assert axis["title"] == "pass rate"
    assert len(axis["axis"]["values"]) == 4  # the lowest and the highest value of each strip
    assert max(axis["axis"]["values"]) < axis["scale"]["domain"][1]


def test_the_labels_of_a_strip_contain_all_its_intervals() -> None:
    chart = strip_chart({"one": strip_points([0.86, 0.95])}, [], {"v1": "#000000"}, X, title="pass rate")
    (points,) = layer(chart, "point")
    low, high = points["encoding"]["y"]["axis"]["values"]
    assert all(low <= row["low"] and row["high"] <= high for row in values(chart, points))
    assert "80%" in points["encoding"]["y"]["axis"]["labelExpr"]
    assert "100%" in points["encoding"]["y"]["axis"]["labelExpr"]
