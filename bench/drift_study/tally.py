"""What a number of runs adds up to: small enough to keep, whatever the number of runs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, kw_only=True)
class Tally:
    """`counts`: how often a measure took each whole value (0 and 1 for events, nights for delays).
    `sums`: number, sum and sum of squares of a real measure. `vectors`: added up element by element.
    `values`: kept one by one, for thresholds that are tuned afterwards.
    """

    runs: int = 0
    counts: dict[str, Counter[int]] = field(default_factory=dict)
    sums: dict[str, tuple[int, float, float]] = field(default_factory=dict)
    vectors: dict[str, list[int]] = field(default_factory=dict)
    values: dict[str, list[float]] = field(default_factory=dict)

    def count(self, measure: str, value: int | bool) -> None:  # noqa: FBT001
        self.counts.setdefault(measure, Counter())[int(value)] += 1

    def add(self, measure: str, value: float) -> None:
        n, total, squares = self.sums.get(measure, (0, 0.0, 0.0))
        self.sums[measure] = (n + 1, total + value, squares + value * value)

    def add_vector(self, measure: str, values: Iterable[int]) -> None:
        new = [int(value) for value in values]
        old = self.vectors.get(measure, [0] * len(new))
        self.vectors[measure] = [a + b for a, b in zip(old, new, strict=True)]

    def keep(self, measure: str, value: float) -> None:
        self.values.setdefault(measure, []).append(float(f"{value:.4g}"))

    def merge(self, other: "Tally") -> None:
        self.runs += other.runs
        for measure, counter in other.counts.items():
            self.counts.setdefault(measure, Counter()).update(counter)
        for measure, (n, total, squares) in other.sums.items():
            had = self.sums.get(measure, (0, 0.0, 0.0))
            self.sums[measure] = (had[0] + n, had[1] + total, had[2] + squares)
        for measure, vector in other.vectors.items():
            self.add_vector(measure, vector)
        for measure, values in other.values.items():
            self.values.setdefault(measure, []).extend(values)

    def same_counts(self, other: "Tally") -> bool:
        """Whether every event was counted alike; times taken are not events."""
        return (self.runs, self.counts, self.vectors) == (other.runs, other.counts, other.vectors)

    def to_json(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "counts": {m: {str(v): c for v, c in sorted(counter.items())} for m, counter in self.counts.items()},
            "sums": {m: list(three) for m, three in self.sums.items()},
            "vectors": self.vectors,
            "values": self.values,
        }

    @classmethod
    def from_json(cls, made: Mapping[str, Any]) -> "Tally":
        return cls(
            runs=made["runs"],
            counts={m: Counter({int(v): c for v, c in counter.items()}) for m, counter in made["counts"].items()},
            sums={m: (int(three[0]), three[1], three[2]) for m, three in made["sums"].items()},
            vectors={m: list(vector) for m, vector in made["vectors"].items()},
            values={m: list(values) for m, values in made["values"].items()},
        )
