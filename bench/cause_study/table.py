"""The counted readings as the table of chances that the product reads."""

from collections import Counter
from collections.abc import Mapping

from bench.cause_study.readings import Counts
from monitor.drift.cause.error_rates import RESULTS, Family
from monitor.drift.cause.experiment_outcome import StepResult

POSSIBLE = {  # what a step of the family can show
    Family.REJUDGE: {StepResult.ALL, StepResult.PART, StepResult.STAYED, StepResult.NO_DROP, StepResult.UNCLEAR},
    Family.UNCHANGED: {StepResult.ALL, StepResult.PART, StepResult.STAYED, StepResult.UNCLEAR},
    Family.PUT_BACK: {StepResult.ALL, StepResult.PART, StepResult.STAYED, StepResult.UNCLEAR},
    Family.AGAIN: {StepResult.STAYED, StepResult.NO_DROP, StepResult.UNCLEAR},
}
BELIEVED = 2.0  # readings that the even chance of every possible showing counts as, so that none is impossible
FEWEST = 20  # readings that a row rests on, those of weaker bins included
LEAST = 0.001  # of what is possible
Table = Mapping[tuple[Family, StepResult], tuple[tuple[float, ...], ...]]


def table_of(counts: Counts) -> Table:
    """The chances, to three digits, in the order of `RESULTS`."""
    return {
        key: tuple(_row(POSSIBLE[key[0]], _enough(rows, place)) for place in range(len(rows)))
        for key, rows in sorted(counts.items(), key=lambda item: (item[0][0].name, item[0][1].name))
    }


def _enough(rows: list[Counter[StepResult]], place: int) -> Counter[StepResult]:
    """The readings of a bin, with those of weaker bins while they are too few."""
    found = Counter(rows[place])
    for weaker in reversed(rows[:place]):
        if found.total() >= FEWEST:
            break
        found.update(weaker)
    return found


def _row(possible: set[StepResult], counter: Counter[StepResult]) -> tuple[float, ...]:
    total = counter.total() + BELIEVED
    chances = [(counter[shown] + BELIEVED / len(possible)) / total if shown in possible else 0.0 for shown in RESULTS]
    rounded = [max(round(chance, 3), LEAST) if chance else 0.0 for chance in chances]
    largest = rounded.index(max(rounded))
    rest = round(1.0 - sum(rounded) + rounded[largest], 3)
    return tuple(rest if place == largest else chance for place, chance in enumerate(rounded))


def literal(table: Table) -> str:
    """As it stands in monitor/drift/cause/error_rates.py."""
    lines = []
    for (family, right), rows in table.items():
        lines.append(f"    (Family.{family.name}, StepResult.{right.name}): (")
        lines.extend(f"        ({', '.join(f'{chance:g}' if chance else '0.0' for chance in row)})," for row in rows)
        lines.append("    ),")
    return "\n".join(lines)
