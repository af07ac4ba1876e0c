"""How often named causes are right, by the probability in the finding."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.cause_study.investigation import PlayedInvestigation
from bench.drift_study.shares import Share
from monitor.drift.cause.suspects import hypothesis_name

BINS = ((0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.0))


@dataclass(slots=True)
class Bin:
    """Causes with a probability in [low, high); the last bin includes its end."""

    low: float
    high: float
    count: int = 0
    right: int = 0
    probability_sum: float = 0.0  # sum of the probabilities

    def includes(self, probability: float) -> bool:
        return self.low <= probability < self.high or probability == self.high == 1.0

    @property
    def share(self) -> Share:
        return Share(yes=self.right, n=self.count)

    @property
    def mean(self) -> float:
        return self.probability_sum / self.count if self.count else float("nan")


@dataclass(slots=True)
class Calibration:
    """The calibration. `bins` have the causes with a probability, `named` those named from records
    only, without one.
    """

    runs: int = 0
    bins: list[Bin] = field(default_factory=lambda: [Bin(low=low, high=high) for low, high in BINS])
    named: Bin = field(default_factory=lambda: Bin(low=0.0, high=1.0))
    # The true cause -> causes named with a probability.
    confused: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, investigations: Iterable[PlayedInvestigation]) -> None:
        for row in investigations:
            self.runs += 1
            if row.has_percentage:
                _count(next(each for each in self.bins if each.includes(row.probability)), row)
            elif row.named:
                _count(self.named, row)
            if row.stated.confirmed:
                named = self.confused.setdefault(hypothesis_name(row.truth), {})
                named[hypothesis_name(row.likeliest)] = named.get(hypothesis_name(row.likeliest), 0) + 1

    def markdown(self) -> str:
        lines = ["| probability | causes | mean probability | right |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {100 * row.low:.0f}-{100 * row.high:.0f} % | {row.count} | {100 * row.mean:.1f} % | {row.share} |"
            for row in self.bins
            if row.count
        ]
        lines.append(f"| from the records alone, no probability | {self.named.count} | - | {self.named.share} |")
        return "\n".join(lines)


def _count(into: Bin, row: PlayedInvestigation) -> None:
    into.count += 1
    into.right += row.right
    into.probability_sum += row.probability
