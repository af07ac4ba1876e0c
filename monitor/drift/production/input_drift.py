"""Tests production traffic for drift. The distances of the traffic reports become a verdict with controlled error rate.

A drift is not a regression: other questions, another language or longer answers may be wanted. It shows where to look,
and that the private set may no longer represent what users ask.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from monitor.stats.change_point.robust_monitor import robust_z
from monitor.stats.change_point.shiryaev_roberts import Evidence, shiryaev_roberts
from monitor.stats.conformal_z import Scores
from monitor.stats.studentise import studentise

Floats = NDArray[np.float64]
BASELINE = 14  # windows that raise no alarm: each weekday twice, so that it has a past to be measured against


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficWindow:
    """One measured window `id` that ended at `until`. A distance is None when there are too few values."""

    id: str
    until: datetime
    distances: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficEvidence:
    """The evidence of the windows about the last of them.

    - `windows`: the windows that count, of the column that was measured most often, since the onset of the last drift.
    - `missing`: the windows that are still needed for a verdict.
    - `log_e`: the natural logarithm of the e-detector over all columns, -inf inside the baseline.
    - `columns`: the same for each column, the strongest first.
    - `onset`: the end of the first window after the drift; set when the verdict is `drift`.
    """

    verdict: Literal["ok", "drift", "insufficient"]
    windows: int
    missing: int
    log_e: float
    log_threshold: float
    columns: tuple[tuple[str, float], ...]
    onset: datetime | None


def evaluate_traffic(
    windows: Sequence[TrafficWindow], *, alpha: float, horizon: int, baseline: int = BASELINE
) -> TrafficEvidence:
    """Return the verdict on the last window, given all windows in the order of time.

    Formula:   each column's distances become ranks among those so far, weekday by weekday (`robust_z`), are
               studentised, and feed a Shiryaev-Roberts mixture; columns are averaged, and `drift` is an average
               >= horizon / alpha. After a drift the windows before its onset count no more: what is new is now usual.
    Range:     the chance of any false alarm within `horizon` windows is at most alpha if a column's distances are
               exchangeable but for their weekdays. They nearly are: consecutive windows share most of their reference,
               which makes neighbours a little alike: of 150 simulated unchanged half-years with shared references, loud
               Sundays and 15 columns, 5 alarmed at alpha 0.05.
    Direction: large evidence is for distances that rise and stay; one wild window is never a drift.
    Empty:     a missing distance adds no evidence and takes none away; no window at all is `insufficient`.
    Smallest:  `baseline` windows and one more.
    Source:    see `robust_z`, `studentise`, `shiryaev_roberts`.
    Differs:   ties are broken by a hash of window and column: the same windows give the same verdict.
    """
    log_threshold = math.log(horizon / alpha)
    first, last_alarm, onset = 0, -1, None
    while True:
        evidence, log_e = _detect(windows[first:], baseline)
        crossings = [first + int(t) for t in np.flatnonzero(log_e >= log_threshold) if first + t > last_alarm]
        if not crossings:
            break
        last_alarm = crossings[0]
        at = last_alarm - first
        onset = first + int(evidence.onset[at, evidence.log_best[at].argmax()])
        if last_alarm == len(windows) - 1:
            break
        first = max(onset, first + 1)
    drifted = bool(windows) and last_alarm == len(windows) - 1
    measured = _most_measured(windows[first:])
    return TrafficEvidence(
        verdict="drift" if drifted else "ok" if measured > baseline else "insufficient",
        windows=measured,
        missing=max(0, baseline + 1 - measured),
        log_e=float(log_e[-1]) if windows else -math.inf,
        log_threshold=log_threshold,
        columns=_by_strength(windows, evidence),
        onset=windows[onset].until if drifted and onset is not None else None,
    )


def _detect(windows: Sequence[TrafficWindow], baseline: int) -> tuple[Evidence, Floats]:
    names = _names(windows)
    weekday = np.array([window.until.weekday() for window in windows], dtype=np.int64)
    u = np.full((len(windows), len(names)), np.nan)
    for column_index, name in enumerate(names):
        distance = np.array([_or_nan(window.distances.get(name)) for window in windows], dtype=np.float64)
        uniforms = np.array([_uniform(window.id, name) for window in windows], dtype=np.float64)
        u[:, column_index] = robust_z(distance, weekday, uniforms)
    evidence = shiryaev_roberts(studentise(Scores.of(u), sampled=False), baseline)
    if not names:
        return evidence, np.full(len(windows), -np.inf)
    return evidence, evidence.average(np.full(len(names), 1.0 / len(names)))


def _by_strength(windows: Sequence[TrafficWindow], evidence: Evidence) -> tuple[tuple[str, float], ...]:
    if not len(evidence.log_e):
        return ()
    last = zip(_names(windows), evidence.log_e[-1].tolist(), strict=True)
    return tuple(sorted(last, key=lambda item: (-item[1], item[0])))


def _most_measured(windows: Sequence[TrafficWindow]) -> int:
    counted = Counter(name for window in windows for name, value in window.distances.items() if value is not None)
    return max(counted.values(), default=0)


def _names(windows: Sequence[TrafficWindow]) -> list[str]:
    return sorted({name for window in windows for name in window.distances})


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _uniform(window: str, column: str) -> float:
    """Return a number in [0, 1) that depends on the window and the column only."""
    digest = hashlib.sha256(f"{window}\n{column}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2.0**48
