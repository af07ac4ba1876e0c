from datetime import UTC, datetime
from typing import Any

import pytest

from dashboards.charts.axes import order_axis, rate_axis
from dashboards.charts.changes import Marker
from dashboards.charts.layers import LayeredChart
from dashboards.charts.rates import RatePoint, rate_chart
from dashboards.charts.share_areas import CHOSEN, ShareStep, share_areas
from dashboards.charts.time_axis import TimeAxis
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
    labels = [row for row in layer(chart, "text") if values(chart, row)]
    assert [(row["mark"]["align"], values(chart, row)[0]["order"]) for row in labels] == [
        ("left", 0.5),
        ("right", 1.5),
    ]
    assert {row["encoding"]["y"]["value"] for row in labels} == {2, 17}
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
