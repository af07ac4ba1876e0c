"""Runs in river's environment: ADWIN and Page-Hinkley with their defaults, fed every night's rate or every sample.

A line in: {"detector": name, "feed": "nights" | "samples", "baseline": nights, "channels": {name: {"passes": [...],
"samples": [...]}}}; the samples of a night come in an order of their own, the same every time.
A line out: {"statistic": [...]}, 1 on a monitored night on which a channel's detector says drift, else 0.
"""

import json
import sys
from random import Random
from typing import Any

from river import drift


def main() -> None:
    for line in sys.stdin:
        question = json.loads(line)
        sys.stdout.write(json.dumps({"statistic": statistic(question)}) + "\n")
        sys.stdout.flush()


def statistic(question: dict[str, Any]) -> list[float]:
    baseline = question["baseline"]
    nights: list[float] = []
    for channel in question["channels"].values():
        found = _drifts(question, channel)[baseline:]
        nights = [max(a, b) for a, b in zip(nights or found, found, strict=True)]
    return nights


def _drifts(question: dict[str, Any], channel: dict[str, list[int]]) -> list[float]:
    watch = drift.ADWIN() if question["detector"] == "adwin" else drift.PageHinkley()
    order = Random(1)
    found = []
    for passes, samples in zip(channel["passes"], channel["samples"], strict=True):
        values = [1.0] * passes + [0.0] * (samples - passes)
        order.shuffle(values)
        drifted = False
        for value in values if question["feed"] == "samples" else [passes / samples] * (samples > 0):
            watch.update(value)
            drifted = drifted or watch.drift_detected
        found.append(1.0 if drifted else 0.0)
    return found


if __name__ == "__main__":
    main()
