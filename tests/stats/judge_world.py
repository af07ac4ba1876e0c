"""A small world of figure 6: cases of known difficulty, a model that may get worse, a judge that may move."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.attribution import Attribution, Cause, attribute

Floats = NDArray[np.float64]
CALIBRATED = 600
CONCENTRATION = 1.0 / 0.6 - 1.0  # intraclass correlation 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Sizes are fractions. `noise` is how often a judge asked twice disagrees with itself; `noisier` makes the judge's
    move one of added errors in both directions instead of strictness.
    """

    model_drop: float = 0.0
    judge_drop: float = 0.0
    noise: float = 0.01
    outputs: int = 900
    cases: int = 300
    nights_before: int = 14
    nights_after: int = 7
    noisier: bool = False


def causes(world: World, runs: int, seed: int) -> dict[Cause, float]:
    """How often each cause was named."""
    rng = np.random.default_rng(seed)
    named = [blame(world, rng).cause for _ in range(runs)]
    return {cause: named.count(cause) / runs for cause in Cause}


def blame(world: World, rng: np.random.Generator) -> Attribution:
    mean = float(rng.uniform(0.62, 0.96))
    chances = rng.beta(mean * CONCENTRATION, (1.0 - mean) * CONCENTRATION, world.cases)
    share = world.judge_drop / (2.0 * mean - 1.0 if world.noisier else mean)
    good_before = _passes(chances, world.nights_before, rng)
    good_after = _passes(chances * (1.0 - world.model_drop / mean), world.nights_after, rng)
    before = _judged(good_before, 0.0, world, rng)
    picked = rng.permutation(good_before.size)[: world.outputs]
    return attribute(
        before,
        _judged(good_after, share, world, rng),
        before.ravel()[picked],
        _judged(good_before.ravel()[picked], share, world, rng),
        int(rng.binomial(CALIBRATED, world.noise)),
        CALIBRATED,
        0.05,
    )


def _passes(chances: Floats, nights: int, rng: np.random.Generator) -> Floats:
    return (rng.random((nights, chances.size, 1)) < chances[None, :, None]).astype(np.float64)


def _judged(good: Floats, moved: float, world: World, rng: np.random.Generator) -> Floats:
    """The verdict on each output: the judge's move first, then the noise it always had."""
    hit = rng.random(good.shape) < moved
    seen = np.where(hit, 1.0 - good if world.noisier else 0.0, good)
    slip = (1.0 - np.sqrt(1.0 - 2.0 * world.noise)) / 2.0
    return np.where(rng.random(good.shape) < slip, 1.0 - seen, seen)
