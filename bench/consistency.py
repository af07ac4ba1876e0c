"""Measures the false and true detections of changed consistency, and the coverage of the interval.

`python bench/consistency.py --runs 400` prints a Markdown table: of versions that changed as the row says, how many
were found more and less consistent at any look within 30 nights, and how often the interval of the look after
seven nights contains the true difference. Pass probabilities are those of bench/drift.py's world.
"""

import argparse
import os
import sys
from dataclasses import dataclass

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from bench.drift_study.cases import MEANS
from bench.drift_study.shares import Share
from monitor.stats.consistency import consistency_change
from monitor.stats.night_tally import NightTally
from monitor.stats.two_versions.group_sequential import LOOKS, boundaries

Floats = NDArray[np.float64]
BOUNDS = boundaries(0.025)  # 5 % for both directions
WEEK = LOOKS.index(7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`between` is the share of variance between cases, `pull` how far a noisier version's rates move to their mean."""

    cases: int = 300
    samples: int = 1
    nights: int = 14
    between: float = 0.6
    mood: float = 0.0
    clipped: bool = False
    redraws: bool = False
    pull: float = 0.0
    back: bool = False  # the noisier version was the one before

    def __str__(self) -> str:
        kind = "other cases right" if self.redraws else f"pulled {self.pull:.0%}" if self.pull else "the same"
        mood = f", mood {100 * self.mood:g} points{' cut off' if self.clipped else ''}" if self.mood else ""
        back = " before" if self.back else ""
        return f"{kind}{back}, n {self.cases}, k {self.samples}, {self.nights} nights, {self.between:g} between{mood}"


ROWS = (
    Row(),
    Row(mood=0.01),
    Row(mood=0.01, clipped=True),
    Row(mood=0.01, nights=7),
    Row(mood=0.03),
    Row(mood=0.03, nights=7),
    Row(between=0.4),
    Row(between=0.8),
    Row(between=0.95),
    Row(cases=100),
    Row(cases=805, samples=3),
    Row(cases=805, samples=3, mood=0.01),
    Row(redraws=True),
    Row(pull=0.05),
    Row(pull=0.1),
    Row(pull=0.2),
    Row(pull=0.4),
    Row(pull=0.2, back=True),
    Row(pull=0.2, between=0.9),
    Row(pull=0.2, cases=100),
    Row(pull=0.2, samples=3),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400, help="of each row (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of all rows (%(default)s)")
    options = parser.parse_args()
    sys.stdout.write(
        "| version | more consistent | less consistent | interval after 7 nights |\n| --- | --- | --- | --- |\n"
    )
    for number, row in enumerate(ROWS):
        played = [play(row, np.random.default_rng([options.seed, number, run])) for run in range(options.runs)]
        more, less = (Share(yes=sum(z * sign > 0 for z, _ in played), n=len(played)) for sign in (-1, 1))
        covers = [covered for _, covered in played if covered is not None]
        sys.stdout.write(f"| {row} | {more} | {less} | {Share(yes=sum(covers), n=len(covers))} |\n")
        sys.stdout.flush()
    return 0


def play(row: Row, rng: np.random.Generator) -> tuple[float, bool | None]:
    """The first score that reaches its boundary, 0 where none does; whether the interval of a week covers."""
    mean, size = rng.uniform(*MEANS), 1.0 / row.between - 1.0
    old, other = (rng.beta(mean * size, (1.0 - mean) * size, size=row.cases) for _ in range(2))
    new = other if row.redraws else (1.0 - row.pull) * old + row.pull * old.mean()
    old, new = (new, old) if row.back else (old, new)
    truth = 2.0 * float((new * (1.0 - new) - old * (1.0 - old)).mean())
    before, after = _nights(row, old, row.nights, rng), _nights(row, new, LOOKS[-1], rng)
    found = [consistency_change(before, after.between(0, look)) for look in LOOKS]
    crossed = [each.z for each, bound in zip(found, BOUNDS, strict=True) if each is not None and abs(each.z) >= bound]
    week = found[WEEK]
    return (crossed or [0.0])[0], None if week is None else week.interval.low <= truth <= week.interval.high


def _nights(row: Row, rates: Floats, nights: int, rng: np.random.Generator) -> NightTally:
    moods = row.mood * rng.standard_normal((nights, 1))
    inside = np.clip(rates, 1e-6, 1.0 - 1e-6)
    slope = float((inside * (1.0 - inside)).mean())
    tonight = np.clip(rates + moods, 0.0, 1.0) if row.clipped else expit(logit(inside) + moods / slope)
    passes = rng.binomial(row.samples, tonight).astype(np.float64)
    return NightTally.of_passes(passes, np.full(passes.shape, float(row.samples)))


if __name__ == "__main__":
    sys.exit(main())
