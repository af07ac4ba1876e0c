"""The calendar of replays: a lane a set, and a shape and a colour a state."""

from datetime import UTC, datetime, timedelta

from dashboards.charts.calendar import SHAPES, CalendarMark, calendar_chart
from dashboards.panels.schedules.calendar import GLYPHS

NOW = datetime(2026, 3, 6, tzinfo=UTC)


def test_each_set_has_a_lane_of_its_own_inside_the_chart() -> None:
    marks = [CalendarMark(at=NOW - timedelta(days=1), row=row, state="ok", detail="") for row in ("b: two", "a: one")]
    chart = calendar_chart(marks, NOW).to_dict()
    points = next(layer for layer in chart["layer"] if layer["mark"]["type"] == "point")
    assert {row["row"]: row["lane"] for row in chart["datasets"][points["data"]["name"]]} == {"a: one": 0, "b: two": 1}
    bottom, top = points["encoding"]["y"]["scale"]["domain"]
    assert top < 0 < 1 < bottom


def test_every_state_has_its_own_shape_and_character() -> None:
    assert len(set(SHAPES.values())) == len(SHAPES)
    assert list(GLYPHS) == list(SHAPES)
    assert len(set(GLYPHS.values())) == len(GLYPHS)
