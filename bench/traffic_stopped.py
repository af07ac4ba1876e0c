"""Measures the false alarms and the delay of TrafficStopped on simulated traffic.

`python bench/traffic_stopped.py --years 4` prints a Markdown table: for a number of calls an hour and a variation from
day to day, the alerts of a deployment in a year without a silence, and the hours until a silence that starts at a
random hour is found. The traffic has a daily and a weekly profile.
"""

import argparse
import os
import statistics
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from monitor.alerting.checks.traffic import HOURS_A_YEAR, WEEK, WEEKS, WINDOWS, silence
from monitor.domain.check_policy import CheckPolicy

HISTORY = (WEEKS + 1) * WEEK
LEVELS = (0.2, 2.0, 20.0, 500.0)  # calls an hour
DEVIATIONS = ((0.0, 0.0), (0.1, 0.05), (0.3, 0.3), (0.5, 1.0))  # squared relative deviation of an hour, of a day
LONGEST = 336
ALPHA = CheckPolicy().traffic_false_alarms / (HOURS_A_YEAR * len(WINDOWS))


def traffic(rng: np.random.Generator, calls: float, hourly: float, daily: float, weeks: int) -> list[int]:
    """Return the calls of each hour. The shape is that of a product in one time zone, with quiet weekends."""
    hour, day = np.arange(WEEK) % 24, np.arange(WEEK) // 24
    shape = np.exp(1.3 * np.cos((hour - 14) / 24 * 2 * np.pi)) * np.where(day >= 5, 0.35, 1.0)
    rate = np.tile(shape / shape.mean() * calls, weeks)
    if hourly:
        rate *= rng.gamma(1 / hourly, hourly, rate.size)
    if daily:
        rate *= np.repeat(rng.gamma(1 / daily, daily, rate.size // 24), 24)
    return [int(n) for n in rng.poisson(rate)]


def is_silent(counts: list[int]) -> bool:
    return silence(counts[-HISTORY:], WEEKS, float("inf"), ALPHA) is not None


def alerts_a_year(rng: np.random.Generator, calls: float, hourly: float, daily: float, years: int) -> float:
    """Return the alerts of a year: consecutive silent hours are one alert."""
    counts = traffic(rng, calls, hourly, daily, WEEKS + 1 + 52 * years)
    found = [is_silent(counts[end - HISTORY : end]) for end in range(HISTORY, len(counts) + 1)]
    starts = sum(now and not before for before, now in zip([False, *found], found, strict=False))
    return starts / len(found) * HOURS_A_YEAR


def delay_h(rng: np.random.Generator, calls: float, hourly: float, daily: float) -> int:
    """Return the complete hours of silence until it is found."""
    counts = traffic(rng, calls, hourly, daily, WEEKS + 3)[: HISTORY + int(rng.integers(0, WEEK))]
    silent = (hours for hours in range(1, LONGEST + 1) if is_silent([*counts, *[0] * hours]))
    return next(silent, LONGEST)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--years", type=int, default=2)
    arguments.add_argument("--silences", type=int, default=40)
    given = arguments.parse_args()
    rng = np.random.default_rng(16)
    out = sys.stdout
    out.write("| calls an hour | deviation of an hour, a day | alerts a year | hours, median | hours, 90 % |\n")
    out.write("|---:|---|---:|---:|---:|\n")
    for calls in LEVELS:
        for hourly, daily in DEVIATIONS:
            yearly = alerts_a_year(rng, calls, hourly, daily, given.years)
            delays = sorted(delay_h(rng, calls, hourly, daily) for _ in range(given.silences))
            high = delays[int(0.9 * len(delays))]
            row = f"| {calls:g} | {hourly**0.5:.0%}, {daily**0.5:.0%} | {yearly:.2f} "
            out.write(f"{row}| {statistics.median(delays):g} | {high} |\n")
            out.flush()


if __name__ == "__main__":
    main()
