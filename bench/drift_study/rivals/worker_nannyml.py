"""Runs in NannyML's environment: the mean of every channel each night, thresholds as the library sets them (3 sigma).

A line in: {"baseline": nights, "channels": {name: {"passes": [...], "samples": [...]}}}; each sample becomes a row, 1
where it passed and 0 where not, each channel a column, one chunk a night. (Realised accuracy, with passes as the
predictions of a target that is always 1, gives the same values and thresholds and takes twenty times as long.)
A line out: {"statistic": [...]}: how far the night lies from the reference mean, in units of its alert threshold, the
largest of the channels; above 1 is NannyML's alert.
"""

import json
import sys
import warnings
from typing import Any

import nannyml
import numpy as np
import pandas as pd

warnings.simplefilter("ignore")
FIRST = "2026-01-01"


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps({"statistic": statistic(json.loads(line))}) + "\n")
        sys.stdout.flush()


def statistic(question: dict[str, Any]) -> list[float]:
    baseline, channels = question["baseline"], question["channels"]
    nights = len(next(iter(channels.values()))["passes"])
    calculator = nannyml.SummaryStatsAvgCalculator(
        column_names=list(channels), timestamp_column_name="night", chunk_period="D"
    )
    calculator.fit(_table(channels, range(baseline)))
    found = calculator.calculate(_table(channels, range(baseline, nights))).to_df()
    of_reference = found[("chunk", "period")] == "reference"
    distances = [_in_thresholds(found[name][~of_reference], found[name][of_reference]) for name in channels]
    return [float(largest) for largest in np.max(distances, axis=0)]


def _table(channels: dict[str, Any], nights: range) -> Any:
    """One row a sample of the night's longest channel; a shorter channel leaves its last rows empty."""
    rows = [max(channel["samples"][night] for channel in channels.values()) for night in nights]
    table = {"night": np.repeat(pd.date_range(FIRST, periods=nights.stop)[nights.start :], rows)}
    for name, channel in channels.items():
        outcomes = []
        for night, length in zip(nights, rows, strict=True):
            place = np.arange(length)
            outcomes.append(
                np.where(place < channel["samples"][night], (place < channel["passes"][night]).astype(float), np.nan)
            )
        table[name] = np.concatenate(outcomes)
    return pd.DataFrame(table)


def _in_thresholds(found: Any, reference: Any) -> Any:
    """A night without a value lies nowhere; a threshold that the library dropped is infinitely far away."""
    centre = float(reference["value"].astype(float).mean())
    value = found["value"].astype(float).fillna(centre).to_numpy()
    lower = found["lower_threshold"].astype(float).fillna(-np.inf).to_numpy()
    upper = found["upper_threshold"].astype(float).fillna(np.inf).to_numpy()
    allowed = np.where(value < centre, centre - lower, upper - centre)
    return np.abs(value - centre) / np.maximum(allowed, 1e-12)


if __name__ == "__main__":
    main()
