"""What a night does not ask or does not hear: revisions, missing cases, outages, and how often each case is asked."""

import numpy as np
from numpy.typing import NDArray

from bench.drift_study.cases import Cases, Ints
from bench.drift_study.cell import Cell

OUTAGE_CHANCE = 0.05  # that an outage begins on a night
OUTAGE_NIGHTS = 3  # at most
OUTAGE_SHARE = 0.30  # of one category

Mask = NDArray[np.bool_]


def union_size(cell: Cell) -> int:
    """Cases over all revisions: with one, half of the set is replaced."""
    return cell.n if cell.revision_after is None else cell.n + len(replaced(cell.n))


def replaced(n: int) -> Ints:
    """The cases the next revision leaves out: every second one, so that each category loses half."""
    return np.arange(0, n, 2)


def draw_active(cell: Cell) -> Mask:
    """[nights, cases]: whether the case is in the night's revision."""
    active = np.ones((cell.nights, union_size(cell)), dtype=np.bool_)
    if cell.revision_after is not None:
        night = cell.baseline + cell.revision_after
        active[:night, cell.n :] = False
        active[night:, replaced(cell.n)] = False
    return active


def draw_samples(cell: Cell, rng: np.random.Generator) -> Ints:
    """[nights, cases]: how often each is asked; between 1 and k when that varies."""
    shape = (cell.nights, union_size(cell))
    drawn = rng.integers(1, cell.k, size=shape, endpoint=True)
    return drawn if cell.varied_k else np.full(shape, cell.k, dtype=np.int64)


def draw_missing(cell: Cell, rng: np.random.Generator) -> Mask:
    """[nights, cases]: not scored, for no reason that has to do with the case."""
    drawn = rng.random((cell.nights, union_size(cell)))
    return np.asarray(drawn < cell.missing, dtype=np.bool_)


def draw_outages(cell: Cell, cases: Cases, active: Mask, rng: np.random.Generator) -> Mask:
    """[nights, cases]: lost to an outage of 30 % of one category, lasting one to three nights, now and then.

    "easiest" takes the cases most likely to pass: the raw mean of the night then falls though nothing got worse.
    """
    out = np.zeros((cell.nights, cases.n), dtype=np.bool_)
    if cell.outage is None:
        return out
    for night in np.flatnonzero(rng.random(cell.nights) < OUTAGE_CHANCE):
        members = np.flatnonzero((cases.category == rng.integers(cell.categories)) & active[night])
        lost = max(1, round(OUTAGE_SHARE * len(members)))
        by_ease = members[np.argsort(-cases.passing[members], kind="stable")]
        who = by_ease[:lost] if cell.outage == "easiest" else rng.permutation(members)[:lost]
        out[night : night + int(rng.integers(1, OUTAGE_NIGHTS, endpoint=True)), who] = True
    return out & active
