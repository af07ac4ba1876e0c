"""Runs in Evidently's environment: its default drift test of every channel, each night against the baseline.

A line in: {"baseline": nights, "channels": {name: {"passes": [...], "samples": [...]}}}; the channels are categorical
columns of a table, "pass" or "fail", and Evidently picks the test and its threshold by itself.
A line out: {"statistic": [...]}, 1 on a monitored night on which a column has drifted, else 0.
"""

import json
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
from evidently import DataDefinition, Dataset, Report
from evidently.metrics import ValueDrift

warnings.simplefilter("ignore")


def main() -> None:
    for line in sys.stdin:
        question = json.loads(line)
        sys.stdout.write(json.dumps({"statistic": statistic(question)}) + "\n")
        sys.stdout.flush()


def statistic(question: dict[str, Any]) -> list[float]:
    baseline, channels = question["baseline"], question["channels"]
    nights = len(next(iter(channels.values()))["passes"])
    definition = DataDefinition(categorical_columns=list(channels))
    reference = Dataset.from_pandas(_table(channels, range(baseline)), data_definition=definition)
    report = Report([ValueDrift(column=name) for name in channels])
    found = []
    for night in range(baseline, nights):
        current = Dataset.from_pandas(_table(channels, range(night, night + 1)), data_definition=definition)
        found.append(_drifted(report.run(current, reference).dict()["metrics"]))
    return found


def _table(channels: dict[str, Any], nights: range) -> Any:
    columns = {}
    for name, channel in channels.items():
        passes = sum(channel["passes"][night] for night in nights)
        samples = sum(channel["samples"][night] for night in nights)
        columns[name] = pd.Series(np.where(np.arange(samples) < passes, "pass", "fail"), dtype=object)
    return pd.DataFrame(columns)


def _drifted(metrics: list[dict[str, Any]]) -> float:
    """A p-value below its threshold, or a distance above it: Evidently's names say which it is."""
    for metric in metrics:
        config, value = metric["config"], float(metric["value"])
        is_p_value = "p_value" in config["method"]
        if (value < config["threshold"]) if is_p_value else (value >= config["threshold"]):
            return 1.0
    return 0.0


if __name__ == "__main__":
    main()
