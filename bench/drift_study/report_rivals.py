"""The rivals on the same histories: with their own thresholds, and re-tuned to five percent where they have one."""

from pathlib import Path

import numpy as np

from bench.drift_study.markdown import Row, table
from bench.drift_study.rivals.table import RIVALS, Rival
from bench.drift_study.shares import Share, share, share_above, tallies_of
from bench.drift_study.tally import Tally

NULL = "1/null/n300/k1/still"
COLUMNS = {
    "2/drop2/shift": ("nights_7", "2 points in 7 nights"),
    "2/drop5/shift": ("nights_7", "5 points in 7 nights"),
    "2/drop10/shift": ("night_1", "10 points on night 1"),
    "2/category30/shift": ("night_1", "one category -30 on night 1"),
}
MOODY = "1/null/n300/k1/night"
TARGET = 0.05


def rival_section(folder: Path, ours: dict[str, Tally], *, seed: int) -> str:
    """One row a rival and threshold; ours first."""
    rows = [_our_row(ours)] if NULL in ours else []
    for name, rival in RIVALS.items():
        stored = tallies_of(folder / f"{name}.jsonl", seed)
        if NULL in stored:
            rows += _rival_rows(rival, stored)
    if not rows:
        return ""
    head = ["detector", "runs", "false in 180 nights", "with a night effect", *(title for _, title in COLUMNS.values())]
    return table("Other detectors, same histories", head, rows)


def _our_row(ours: dict[str, Tally]) -> Row:
    def cell(name: str, measure: str) -> str:
        return str(share(ours[name].counts[measure])) if name in ours else "not run"

    found = [cell(name, measure) for name, (measure, _) in COLUMNS.items()]
    return ["driftd", str(ours[NULL].runs), cell(NULL, "alarm"), cell(MOODY, "alarm"), *found]


def _rival_rows(rival: Rival, stored: dict[str, Tally]) -> list[Row]:
    rows = [_row(rival.title, rival.threshold, stored)]
    if rival.tunable:
        tuned = float(np.quantile(stored[NULL].values["before"], 1.0 - TARGET, method="higher"))
        rows.append(_row(f"{rival.title}, re-tuned to 5 %", tuned, stored))
    return rows


def _row(title: str, threshold: float, stored: dict[str, Tally]) -> Row:
    def cell(name: str, measure: str) -> Share:
        return share_above(stored[name].values[measure], threshold) if name in stored else Share(yes=0, n=0)

    found = [str(cell(name, measure)) for name, (measure, _) in COLUMNS.items()]
    return [title, str(stored[NULL].runs), str(cell(NULL, "before")), str(cell(MOODY, "before")), *found]
