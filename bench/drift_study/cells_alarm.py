"""Figure 7, `alarm`: histories whose first alert is asked whether its interval holds."""

from dataclasses import replace

from bench.drift_study.cell import Cell

SHIFTS = (1, 1.5, 2, 3, 5, 10)  # points that every case loses, told by nobody
REDRAWS = (2, 5)
ANNOUNCED = (1, 2, 5)
SILENT = Cell(
    name="", figures=(7,), count="alarm_interval", change="drop", monitored=120, after=30, horizon=180
)  # ninety nights to find it


def alarm_cells() -> list[Cell]:
    """Silent drops of one kind and size each, a slow decline, a category, and announced drops."""
    known = replace(SILENT, announced=True, monitored=60)
    return [
        *(replace(SILENT, name=f"7/alarm/shift{points:g}", size=points / 100) for points in SHIFTS),
        *(replace(SILENT, name=f"7/alarm/redraw{p}", size=p / 100, redraw=True) for p in REDRAWS),
        replace(SILENT, name="7/alarm/trend0.2", change="ramp", size=0.002),
        replace(SILENT, name="7/alarm/category30", change="category", size=0.30),
        *(replace(known, name=f"7/alarm/known{p}/shift", size=p / 100) for p in ANNOUNCED),
        *(replace(known, name=f"7/alarm/known{p}/redraw", size=p / 100, redraw=True) for p in REDRAWS),
    ]
