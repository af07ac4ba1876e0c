"""Runs in river's environment: ADWIN and Page-Hinkley with their defaults, one value a night and channel.

A line in: {"detector": name, "baseline": nights, "channels": {name: {"passes": [...], "samples": [...]}}}.
A line out: {"statistic": [...]}, 1 on a monitored night on which a channel's detector says drift, else 0.
"""

import json
import sys
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
        found = _drifts(question["detector"], channel)[baseline:]
        nights = [max(a, b) for a, b in zip(nights or found, found, strict=True)]
    return nights


def _drifts(detector: str, channel: dict[str, list[int]]) -> list[float]:
    watch = drift.ADWIN() if detector == "adwin" else drift.PageHinkley()
    found = []
    for passes, samples in zip(channel["passes"], channel["samples"], strict=True):
        if samples:
            watch.update(passes / samples)
        found.append(1.0 if samples and watch.drift_detected else 0.0)
    return found


if __name__ == "__main__":
    main()
