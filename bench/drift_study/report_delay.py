"""Figure 4: our mean delay over that of the CUSUM that knows everything, at the same measured false-alarm rate."""

import numpy as np

from bench.drift_study.limit import THRESHOLDS
from bench.drift_study.markdown import Row
from bench.drift_study.shares import mean, share, standard_error
from bench.drift_study.tally import Tally

NULL = "1/null/n300/k1/still"
CELLS = {2: "2/drop2", 3: "4/drop3", 4: "4/drop4", 5: "2/drop5"}
MAX_RATIO = 1.30


def delay_rows(ours: dict[str, Tally]) -> list[Row]:
    if NULL not in ours:
        return []
    rows: list[Row] = []
    false = share(ours[NULL].counts["alarm"])
    for points, start in CELLS.items():
        for world in ("shift", "redraw"):
            name = f"{start}/{world}"
            if name in ours:
                rows.append(_row(name, points, ours[name], ours[NULL], false.rate))
    return rows


def _row(name: str, points: int, tally: Tally, null: Tally, false_rate: float) -> Row:
    limit = limit_delay(tally, null, points, false_rate)
    delays = tally.counts["delay"]
    ratio, error = mean(delays) / limit, standard_error(delays) / limit
    measured = f"{ratio:.2f} ± {error:.2f} ({mean(delays):.2f} nights over {limit:.2f})"
    reached = "reached" if ratio <= MAX_RATIO + 2.0 * error else "not reached"
    return [
        name,
        str(tally.runs),
        f"mean delay over the CUSUM's at {100 * false_rate:.1f} % false alarms",
        f"≤ {MAX_RATIO:.2f}",
        measured,
        reached,
    ]


def limit_delay(tally: Tally, null: Tally, points: int, false_rate: float) -> float:
    """Mean nights of the CUSUM at the lowest threshold that identical models cross no more often than `false_rate`."""
    crossed = np.array(null.vectors[f"crossed_{points / 100:g}"]) / null.runs
    able = np.flatnonzero(crossed <= false_rate)
    at = int(able[0]) if len(able) else len(THRESHOLDS) - 1
    clean = tally.vectors["clean"][at]
    return tally.vectors["delays"][at] / clean if clean else float("nan")
