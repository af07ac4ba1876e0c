"""How likely each case is to pass on each night: before the change, after it, and with the night's own mood."""

from dataclasses import dataclass

import numpy as np

from bench.drift_study.cases import EDGE, Cases, Floats, redrawn, with_mean
from bench.drift_study.cell import Cell
from bench.drift_study.gaps import Mask

COLLAPSIBLE = 0.02  # pass rate that a collapsed set or category keeps at least

OfNight = np.ndarray[tuple[int], np.dtype[np.bool_]]  # [cases]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """`passing` [nights, cases] is the version's own; `tonight` has the night effect on top of it."""

    passing: Floats
    tonight: Floats
    touched: int | None  # the category that collapsed


def draw_paths(cell: Cell, cases: Cases, active: Mask, rng: np.random.Generator) -> Paths:
    """The probabilities of every night of the cell, the change being exact in the mean of the active cases."""
    passing = np.repeat(cases.passing[None, :], cell.nights, axis=0)
    touched = None
    if cell.change == "category":
        touched = _collapse(cell, cases, active, passing, rng)
    elif cell.change == "ramp":
        _ramp(cell, active, passing)
    elif cell.change == "noisier":
        passing[cell.change_night :] = pulled(cases, passing[cell.change_night], active[cell.change_night], cell.pull)
    elif cell.change in ("drop", "surge"):
        _drop(cell, cases, active, passing, rng)
    return Paths(passing=passing, tonight=with_night_effect(cell, passing, active, rng), touched=touched)


def _drop(cell: Cell, cases: Cases, active: Mask, passing: Floats, rng: np.random.Generator) -> None:
    nights = [cell.change_night] + ([] if cell.second_after is None else [cell.counted_from])
    for night in nights:
        old = passing[night].copy()
        new = redrawn(cases, rng, cell.ranks) if cell.redraw else old.copy()
        for who in _parts(cell, cases, active[night]):
            new = _moved(new, who, float(old[who].mean()) - cell.size)
        passing[night:] = new


def _parts(cell: Cell, cases: Cases, who: OfNight) -> list[OfNight]:
    """The sets of cases whose mean falls by the drop: all active cases, or each category by itself."""
    if not cell.even:
        return [who]
    return [who & (cases.category == category) for category in range(cell.categories)]


def pulled(cases: Cases, passing: Floats, who: OfNight, pull: float) -> Floats:
    """The probabilities of a noisier version: each moved that share of the way to the mean of its category.

    The mean of every category is unchanged, and so is the mean over all cases.
    """
    members = np.bincount(cases.category[who])
    means = np.bincount(cases.category[who], weights=passing[who]) / np.maximum(members, 1)
    noisier = passing.copy()
    noisier[who] += pull * (means[cases.category[who]] - passing[who])
    return noisier


def _moved(new: Floats, who: OfNight, target: float) -> Floats:
    moved = new.copy()
    moved[who] = with_mean(new[who], target)
    return moved


def _ramp(cell: Cell, active: Mask, passing: Floats) -> None:
    """`size` a night, from the change night on; it stops two points above nothing passing."""
    first = passing[cell.change_night].copy()
    for gone, night in enumerate(range(cell.change_night, cell.nights), start=1):
        who = active[night]
        target = max(float(first[who].mean()) - gone * cell.size, COLLAPSIBLE)
        passing[night] = _moved(first, who, target)


def _collapse(cell: Cell, cases: Cases, active: Mask, passing: Floats, rng: np.random.Generator) -> int:
    """One category falls by `size`; all others keep their means exactly, also where the version is redrawn."""
    night = cell.change_night
    before = passing[night].copy()
    new = redrawn(cases, rng, cell.ranks) if cell.redraw else before.copy()
    members = [np.flatnonzero((cases.category == c) & active[night]) for c in range(int(cases.category.max()) + 1)]
    rates = np.array([before[who].mean() for who in members])
    able = np.flatnonzero(rates >= cell.size + COLLAPSIBLE)
    touched = int(rng.choice(able))
    for category, who in enumerate(members):
        target = float(rates[category]) - (cell.size if category == touched else 0.0)
        new[who] = with_mean(new[who], target) if cell.redraw or category == touched else before[who]
    passing[night:] = new
    return touched


def with_night_effect(cell: Cell, passing: Floats, active: Mask, rng: np.random.Generator) -> Floats:
    """Adds what is common to all cases of a night, sd `night_sd` in the pass rate.

    "clipped" adds it to every probability and clips at 0 and 1, so that a set with saturated cases moves a little
    less than it says; "logit" moves the log-odds by as much as moves the mean by that amount, to first order. Certain
    cases (probabilities of 0 and 1) have no log-odds: with them "logit" is an error.
    """
    from scipy.special import expit, logit

    effect = rng.standard_normal(cell.nights)[:, None] * cell.night_sd  # drawn always: same seeds, same outcomes
    if cell.night_sd == 0.0:
        return passing
    if cell.night_scale == "clipped":
        return np.clip(passing + effect, EDGE, 1.0 - EDGE)
    if cell.intraclass >= 1.0:
        raise ValueError(f"{cell.name}: a night effect on log-odds needs probabilities between 0 and 1")
    slope = np.where(active, passing * (1.0 - passing), 0.0).sum(axis=1) / active.sum(axis=1)
    return np.asarray(expit(logit(passing) + effect / slope[:, None]), dtype=np.float64)
