"""How often the causes that findings tell with a percentage are right, by that percentage."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.cause_study.play import Played
from bench.drift_study.shares import Share
from monitor.drift.cause.suspects import hypothesis_name

BINS = ((0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.0))


@dataclass(slots=True)
class Bin:
    """Causes told with a probability in [low, high), the last bin with its end."""

    low: float
    high: float
    told: int = 0
    right: int = 0
    said: float = 0.0  # sum of the probabilities

    def holds(self, probability: float) -> bool:
        return self.low <= probability < self.high or probability == self.high == 1.0

    @property
    def share(self) -> Share:
        return Share(yes=self.right, n=self.told)

    @property
    def mean(self) -> float:
        return self.said / self.told if self.told else float("nan")


@dataclass(slots=True)
class Calibration:
    """`bins` hold what is told with a percentage, `named` what is named by the records alone and has none."""

    runs: int = 0
    bins: list[Bin] = field(default_factory=lambda: [Bin(low=low, high=high) for low, high in BINS])
    named: Bin = field(default_factory=lambda: Bin(low=0.0, high=1.0))
    confused: dict[str, dict[str, int]] = field(default_factory=dict)  # truth to what was named with a percentage

    def add(self, played: Iterable[Played]) -> None:
        for row in played:
            self.runs += 1
            if row.told:
                _count(next(each for each in self.bins if each.holds(row.probability)), row)
            elif row.named:
                _count(self.named, row)
            if row.stated.confirmed:
                told = self.confused.setdefault(hypothesis_name(row.truth), {})
                told[hypothesis_name(row.likeliest)] = told.get(hypothesis_name(row.likeliest), 0) + 1

    def markdown(self) -> str:
        lines = ["| told | causes | mean told | right |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {100 * row.low:.0f}-{100 * row.high:.0f} % | {row.told} | {100 * row.mean:.1f} % | {row.share} |"
            for row in self.bins
            if row.told
        ]
        lines.append(f"| by the records alone, no percentage | {self.named.told} | - | {self.named.share} |")
        return "\n".join(lines)


def _count(into: Bin, row: Played) -> None:
    into.told += 1
    into.right += row.right
    into.said += row.probability
