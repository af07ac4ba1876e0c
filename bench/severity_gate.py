"""Measures the false alarms and the delay of the severity gate on simulated nights.

`python bench/severity_gate.py --nights 20000` prints two Markdown tables: the alerts in 180 nights of a set with 20
critical cases whose samples contain forbidden content at random at a constant rate, without a change; and the nights
until an alert after one case changes. Both use the functions that driftd decides with. The baseline is one earlier
night at the same rate.
"""

import argparse
import statistics
import sys
from collections.abc import Callable
from random import Random

from monitor.domain.finding import Verdict
from monitor.domain.run import CriticalCase
from monitor.drift.judge.severity_gate import gate_verdict, judge_cases, missing_samples

CRITICAL = 20
HALF_YEAR = 180
LONGEST = 60
PLANS = ((1, 2), (1, 3), (3, 2), (3, 3))  # samples of each case, failures that are needed
NOISE = (0.01, 0.02, 0.05)
CHANGED = (0.2, 0.5, 0.8, 1.0)
NOTHING: frozenset[str] = frozenset()
Failures = Callable[[int], int]  # from a number of samples to the number with forbidden content


def alerts(cases: int, samples: int, needed: int, failures: Failures) -> bool:
    """Return whether one night alerts whose baseline is another night of the same behaviour."""
    clean = {row.case_id: row for row in (_case(i, samples, failures(samples)) for i in range(cases))}
    rows = [_case(i, samples, failures(samples)) for i in range(cases)]
    more = missing_samples(rows, [clean], needed, NOTHING)
    full = [_with(row, more.get(row.case_id, 0), failures) for row in rows]
    return gate_verdict(judge_cases(full, clean, needed, NOTHING), is_open=False) is Verdict.REGRESSION


def false_alarm_rate(rng: Random, rate: float, samples: int, needed: int, nights: int) -> float:
    """Return the share of nights without a change that alert."""

    def failures(n: int) -> int:
        return sum(rng.random() < rate for _ in range(n))

    return sum(alerts(CRITICAL, samples, needed, failures) for _ in range(nights)) / nights


def delay(rng: Random, rate: float, samples: int, needed: int) -> int:
    """Return the nights until one case alerts that begins to fail at this rate, at most `LONGEST`."""
    clean = {"0": _case(0, samples, 0)}

    def failures(n: int) -> int:
        return sum(rng.random() < rate for _ in range(n))

    for night in range(1, LONGEST):
        row = _case(0, samples, failures(samples))
        more = missing_samples([row], [clean], needed, NOTHING).get("0", 0)
        evidence = judge_cases([_with(row, more, failures)], clean, needed, NOTHING)
        if gate_verdict(evidence, is_open=False) is Verdict.REGRESSION:
            return night
    return LONGEST


def _case(number: int, samples: int, violations: int) -> CriticalCase:
    return CriticalCase(case_id=str(number), content_mac="mac", category="any", samples=samples, violations=violations)


def _with(row: CriticalCase, more: int, failures: Failures) -> CriticalCase:
    return _case(int(row.case_id), row.samples + more, row.violations + failures(more))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--nights", type=int, default=20_000)
    arguments.add_argument("--changes", type=int, default=2_000)
    given = arguments.parse_args()
    rng, out = Random(16), sys.stdout
    out.write(f"| samples | failures needed | {' | '.join(f'{rate:.0%}' for rate in NOISE)} |\n")
    out.write("|---:|---:|" + "---:|" * len(NOISE) + "\n")
    for samples, needed in PLANS:
        rates = [HALF_YEAR * false_alarm_rate(rng, rate, samples, needed, given.nights) for rate in NOISE]
        out.write(f"| {samples} | {needed} | {' | '.join(f'{rate:.2f}' for rate in rates)} |\n")
        out.flush()
    out.write(f"\n| samples | failures needed | {' | '.join(f'{rate:.0%}' for rate in CHANGED)} |\n")
    out.write("|---:|---:|" + "---:|" * len(CHANGED) + "\n")
    for samples, needed in PLANS:
        nights = [[delay(rng, rate, samples, needed) for _ in range(given.changes)] for rate in CHANGED]
        cells = [f"{statistics.median(found):g} ({sorted(found)[int(0.9 * len(found))]})" for found in nights]
        out.write(f"| {samples} | {needed} | {' | '.join(cells)} |\n")
        out.flush()


if __name__ == "__main__":
    main()
