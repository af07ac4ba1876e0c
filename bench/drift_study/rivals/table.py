"""Every rival by name: its statistic of a night and the threshold that its own documentation sets."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from bench.drift_study.cases import Floats
from bench.drift_study.cell import Cell
from bench.drift_study.rivals import benjamini_hochberg, fixed_threshold, paired_t, psi, two_proportion
from bench.drift_study.rivals.environment import lock_file
from bench.drift_study.rivals.process import ask_rival
from bench.drift_study.rivals.river import Feed, Method, ask_river
from bench.drift_study.rivals.series import Series, series_of
from bench.drift_study.tally import Tally
from bench.drift_study.world import draw_history, world_sources

WEEK = 7
IN_PROCESS = ("two_proportion", "paired_t", "benjamini_hochberg", "psi", "fixed_threshold")
SAYS_DRIFT = 0.5  # of rivals that only say yes (1) or no (0): there is nothing to tune


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """An alarm is a night whose statistic exceeds the threshold. `environment` names its lock file."""

    title: str
    statistic: Callable[[Series], Floats]
    threshold: float
    tunable: bool = True
    environment: str | None = None


def _river(method: Method, title: str) -> dict[str, Rival]:
    """The same detector twice: on nightly rates, and on every sample."""
    feeds: dict[str, Feed] = {method: "nights", f"{method}_samples": "samples"}
    return {
        name: Rival(
            title=f"river {title}, {'every sample' if feed == 'samples' else 'nightly rates'}, default",
            statistic=partial(ask_river, method, feed),
            threshold=SAYS_DRIFT,
            tunable=False,
            environment="river",
        )
        for name, feed in feeds.items()
    }


RIVALS = {
    "two_proportion": Rival(
        title="two-proportion z, 0.05", statistic=two_proportion.statistic, threshold=two_proportion.THRESHOLD
    ),
    "paired_t": Rival(title="paired t nightly, 0.05", statistic=paired_t.statistic, threshold=paired_t.THRESHOLD),
    "benjamini_hochberg": Rival(
        title="Benjamini-Hochberg within the night, z",
        statistic=benjamini_hochberg.of_proportions,
        threshold=benjamini_hochberg.THRESHOLD,
    ),
    "benjamini_hochberg_paired": Rival(
        title="Benjamini-Hochberg within the night, paired t",
        statistic=benjamini_hochberg.of_paired,
        threshold=benjamini_hochberg.THRESHOLD,
    ),
    "overall_5_points": Rival(
        title="overall down > 5 points", statistic=fixed_threshold.overall, threshold=fixed_threshold.THRESHOLD
    ),
    "category_5_points": Rival(
        title="any category down > 5 points",
        statistic=fixed_threshold.any_category,
        threshold=fixed_threshold.THRESHOLD,
    ),
    "psi": Rival(title="PSI > 0.2", statistic=psi.statistic, threshold=psi.THRESHOLD),
    "nannyml": Rival(
        title="NannyML, 3 sigma", statistic=partial(ask_rival, "nannyml"), threshold=1.0, environment="nannyml"
    ),
    "evidently": Rival(
        title="Evidently, default",
        statistic=partial(ask_rival, "evidently"),
        threshold=SAYS_DRIFT,
        tunable=False,
        environment="evidently",
    ),
    **_river("page_hinkley", "Page-Hinkley"),
    **_river("adwin", "ADWIN"),
}


def rival_sources(name: str) -> list[Path]:
    """The files whose code the rival's results depend on."""
    folder = Path(__file__).parent
    named = [*world_sources(), folder / "series.py", folder / "table.py"]
    environment = RIVALS[name].environment
    if environment is not None:
        return [*named, folder / "process.py", folder / f"worker_{environment}.py"]
    return [*named, *(folder / f"{one}.py" for one in IN_PROCESS)]


def lock_of(name: str) -> str:
    """The text of the rival's lock file: other versions are other code."""
    environment = RIVALS[name].environment
    return "" if environment is None else lock_file(environment).read_text(encoding="utf-8")


def tally_rival(name: str, cell: Cell, runs: Iterable[int], base_seed: int) -> Tally:
    """The highest statistic before the change, on its first night and in its first week, run by run."""
    tally = Tally()
    since = cell.counted_from - cell.baseline
    for run in runs:
        statistic = RIVALS[name].statistic(series_of(draw_history(cell, run, base_seed)))
        tally.runs += 1
        tally.keep("before", _highest(statistic[: min(since, cell.monitored)]))
        if since < cell.monitored:
            tally.keep("night_1", _highest(statistic[since : since + 1]))
            tally.keep("nights_7", _highest(statistic[since : since + WEEK]))
    return tally


def _highest(statistic: Floats) -> float:
    return float(np.max(statistic)) if len(statistic) else -math.inf
