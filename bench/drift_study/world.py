"""A world to simulate: one history, a pure function of (cell, run, base seed).

Pass probabilities are Beta with intraclass correlation 0.6 around model means of 0.62 to 0.96 where the cell says
nothing else; outcomes are binomial; a new version redraws what is not shared of each case's difficulty before the mean
is set exactly (`redraw`), or moves all log-odds by one amount (`shift`), or pulls every case towards the mean of its
category (`noisier`). Ten categories of unequal size. See cases, paths, gaps and labels.
"""

import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.drift_study.cases import Cases, Floats, Ints, categories, draw_cases
from bench.drift_study.cell import Cell
from bench.drift_study.gaps import Mask, draw_active, draw_missing, draw_outages, draw_samples, replaced
from bench.drift_study.labels import NAMES, Codes, draw_labels
from bench.drift_study.paths import COLLAPSIBLE, Paths, draw_paths

WORLD = "1"  # raised whenever the same seeds give other histories: stored results are then refused
STREAMS = 6
MOST_DRAWS = 1000  # of a set that can fall as far as the cell says


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All nights of one deployment. `passes` is -1 where a case has no score; arrays are [nights, cases]."""

    cell: Cell
    seed: int
    cases: Cases
    paths: Paths
    active: Mask
    passes: Ints
    samples: Ints
    outages: Mask
    labels: Codes | None
    favoured: int

    @property
    def favoured_name(self) -> str:
        """The failure category that the change favours."""
        return NAMES[self.favoured]

    @property
    def scored(self) -> Mask:
        return np.asarray(self.passes >= 0, dtype=np.bool_)


def draw_history(cell: Cell, run: int, base_seed: int) -> History:
    """The history of that run; the same arguments give the same history on every machine."""
    streams = [np.random.default_rng(seed) for seed in _seed_sequence(cell, run, base_seed).spawn(STREAMS)]
    of_cases, of_paths, of_gaps, of_outcomes, of_labels, of_detector = streams
    active = draw_active(cell)
    cases = _with_new_cases(cell, active.shape[1], of_cases)
    paths = draw_paths(cell, cases, active, of_paths)
    samples = draw_samples(cell, of_gaps)
    missing = draw_missing(cell, of_gaps)
    outages = draw_outages(cell, cases, active, of_gaps)
    passes = of_outcomes.binomial(samples, paths.tonight)
    passes[~active | missing | outages] = -1
    labels, favoured = None, 0
    if cell.labels:
        labels, favoured = draw_labels(cell, cases, paths.passing, passes=passes, samples=samples, rng=of_labels)
    return History(
        cell=cell,
        seed=int(of_detector.integers(2**31)),
        cases=cases,
        paths=paths,
        active=active,
        passes=passes,
        samples=samples,
        outages=outages,
        labels=labels,
        favoured=favoured,
    )


def _seed_sequence(cell: Cell, run: int, base_seed: int) -> np.random.SeedSequence:
    return np.random.SeedSequence([base_seed, zlib.crc32(cell.name.encode()), run])


def _with_new_cases(cell: Cell, union: int, rng: np.random.Generator) -> Cases:
    """The cases of all revisions; a case that replaces another has its category. A set that cannot fall as far as the
    cell's drop is drawn again.
    """
    lowest = cell.size + COLLAPSIBLE if cell.change == "drop" else 0.0
    for _ in range(MOST_DRAWS):
        cases = draw_cases(union, rng, means=cell.means, intraclass=cell.intraclass, among=cell.categories)
        if cases.passing.mean() >= lowest:
            break
    else:
        raise ValueError(f"{cell.name}: no set of means {cell.means} can fall by {cell.size}")
    first = categories(cell.n, cell.categories)
    category = first if union == cell.n else np.concatenate([first, first[replaced(cell.n)]])
    return replace(cases, category=category)


def world_sources() -> list[Path]:
    """The files that make a history: results of another world are of no use. A cell redefined under its old name is not
    seen by them: WORLD is raised then.
    """
    made_by = ("cases", "document", "gaps", "labels", "paths", "world")
    return [Path(__file__).with_name(f"{name}.py") for name in made_by]


def true_means(history: History) -> Floats:
    """[nights]: the version's own pass rate over the cases of the night's revision, without the night effect."""
    active = history.active
    return np.asarray(np.where(active, history.paths.passing, 0.0).sum(axis=1) / active.sum(axis=1), dtype=np.float64)
