"""Convert the counted results to the table of probabilities that driftd reads."""

from collections import Counter
from collections.abc import Mapping

from bench.cause_study.step_results import Counts
from monitor.drift.cause.error_rates import RESULTS, Family
from monitor.drift.cause.experiment_outcome import StepResult

POSSIBLE = {  # the possible results of the steps of a family
    Family.REJUDGE: {StepResult.ALL, StepResult.PART, StepResult.STAYED, StepResult.NO_DROP, StepResult.UNCLEAR},
    Family.UNCHANGED: {StepResult.ALL, StepResult.PART, StepResult.STAYED, StepResult.UNCLEAR},
    Family.PUT_BACK: {StepResult.ALL, StepResult.PART, StepResult.STAYED, StepResult.UNCLEAR},
    Family.AGAIN: {StepResult.STAYED, StepResult.NO_DROP, StepResult.UNCLEAR},
}
PRIOR_READINGS = 2.0  # weight of the even prior over the possible results, so that none is impossible
MIN_READINGS = 20  # minimum of results behind a row, including those of weaker bins
MIN_CHANCE = 0.001  # of each possible result
Table = Mapping[tuple[Family, StepResult], tuple[tuple[float, ...], ...]]


def table_of(counts: Counts) -> Table:
    """Return the probabilities with three digits, in the order of `RESULTS`."""
    return {
        key: tuple(_row(POSSIBLE[key[0]], _with_weaker_bins(rows, index)) for index in range(len(rows)))
        for key, rows in sorted(counts.items(), key=lambda item: (item[0][0].name, item[0][1].name))
    }


def _with_weaker_bins(rows: list[Counter[StepResult]], index: int) -> Counter[StepResult]:
    """Return the results of a bin, with those of weaker bins while they are too few."""
    readings = Counter(rows[index])
    for weaker in reversed(rows[:index]):
        if readings.total() >= MIN_READINGS:
            break
        readings.update(weaker)
    return readings


def _row(possible: set[StepResult], counter: Counter[StepResult]) -> tuple[float, ...]:
    total = counter.total() + PRIOR_READINGS
    chances = [
        (counter[result] + PRIOR_READINGS / len(possible)) / total if result in possible else 0.0 for result in RESULTS
    ]
    rounded = [max(round(chance, 3), MIN_CHANCE) if chance else 0.0 for chance in chances]
    largest = rounded.index(max(rounded))
    rest = round(1.0 - sum(rounded) + rounded[largest], 3)
    return tuple(rest if index == largest else chance for index, chance in enumerate(rounded))


def literal(table: Table) -> str:
    """Return the table as Python source, as in monitor/drift/cause/error_rates.py."""
    lines = []
    for (family, true_result), rows in table.items():
        lines.append(f"    (Family.{family.name}, StepResult.{true_result.name}): (")
        lines.extend(f"        ({', '.join(f'{chance:g}' if chance else '0.0' for chance in row)})," for row in rows)
        lines.append("    ),")
    return "\n".join(lines)
