"""What the rivals see of a history: passes and samples of every night, overall and by category."""

from dataclasses import dataclass

import numpy as np

from bench.drift_study.cases import Floats, Ints
from bench.drift_study.document import category_name
from bench.drift_study.world import History


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """`passes` and `samples` are [nights, channels], the first channel is overall.

    `case_rates` [nights, cases] is the share of each case's samples that passed, NaN where it has none: for those who
    pair the cases.
    """

    baseline: int
    channels: tuple[str, ...]
    passes: Ints
    samples: Ints
    category: Ints
    case_rates: Floats

    @property
    def rates(self) -> Floats:
        return self.passes / np.maximum(self.samples, 1)

    def reference(self) -> tuple[Ints, Ints]:
        """Passes and samples of the baseline nights, by channel."""
        return self.passes[: self.baseline].sum(axis=0), self.samples[: self.baseline].sum(axis=0)

    def members(self, channel: int) -> Ints:
        """The cases of a channel."""
        return np.arange(len(self.category)) if channel == 0 else np.flatnonzero(self.category == channel - 1)


def series_of(history: History) -> Series:
    """The nightly counts of a history; cases without a score count nowhere."""
    scored = history.scored
    passes = np.where(scored, history.passes, 0)
    samples = np.where(scored, history.samples, 0)
    groups = int(history.cases.category.max()) + 1
    in_group = [(history.cases.category == c).astype(np.int64) for c in range(groups)]
    belongs = np.column_stack([np.ones(history.cases.n, dtype=np.int64), *in_group])
    return Series(
        baseline=history.cell.baseline,
        channels=("overall", *(category_name(c) for c in range(groups))),
        passes=passes @ belongs,
        samples=samples @ belongs,
        category=history.cases.category,
        case_rates=np.where(scored, passes / np.maximum(samples, 1), np.nan),
    )
