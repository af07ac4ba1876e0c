"""The failure category of every failed sample, and how its mix changes."""

import numpy as np
from numpy.typing import NDArray

from bench.drift_study.cases import Cases, Floats, Ints
from bench.drift_study.cell import Cell

CLASSES = ("reasoning", "format", "refusal", "hallucination", "language")
MIX = (0.40, 0.25, 0.18, 0.12, 0.05)
NEW_CLASS = "truncated"
NAMES = ("none", *CLASSES, NEW_CLASS)  # the name of each code; 0 is a pass
CONCENTRATION = 3.0  # of a case's own mix around MIX: most cases fail in one or two ways

Codes = NDArray[np.int8]


def draw_labels(
    cell: Cell, cases: Cases, passing: Floats, *, passes: Ints, samples: Ints, rng: np.random.Generator
) -> tuple[Codes, int]:
    """[nights, cases, k]: the code of each sample, -1 where none was taken; and the class that the change favours."""
    own = rng.dirichlet(np.array(MIX) * CONCENTRATION, size=cases.n)
    favoured = int(rng.integers(len(CLASSES))) + 1
    drawn = rng.random((*passes.shape, cell.k))
    codes = 1 + (drawn[..., None] > np.cumsum(own, axis=1)[None, :, None, :-1]).sum(axis=-1)
    becomes = len(NAMES) - 1 if cell.change == "new_class" else favoured
    moved = rng.random(codes.shape) < _chance_to_move(cell, passing, favoured)[..., None]
    codes[moved] = becomes
    place = np.arange(cell.k)
    codes[place < passes[..., None]] = 0
    codes[place >= samples[..., None]] = -1
    codes[passes < 0] = -1
    return codes.astype(np.int8), becomes


def _chance_to_move(cell: Cell, passing: Floats, favoured: int) -> Floats:
    """[nights, cases]: the chance that a failure takes the favoured class instead of its own."""
    chance = np.zeros_like(passing)
    after = slice(cell.change_night, None)
    if cell.change in ("moved", "new_class"):
        chance[after] = cell.size
    elif cell.change == "surge":  # all failures that were not there before are of one class
        before = passing[cell.change_night - 1]
        chance[after] = np.clip((before - passing[after]) / (1.0 - passing[after]), 0.0, 1.0)
    elif cell.change == "surge_moved":  # the class gains as much, the others lose it, the pass rate stays
        failing = 1.0 - float(passing[cell.change_night].mean())
        chance[after] = min(1.0, cell.size / (failing * (1.0 - MIX[favoured - 1])))
    return chance
