"""The results of the complete replays of one set by night, as columns from the store."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """One complete run. `judge` names the scorers with their versions, `change_id` the replayed change."""

    run_id: str
    at: datetime
    version: str | None
    judge: str
    change_id: str | None
    revision: str
    cases: int  # of its revision


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """One entry for each case and night with a verdict: the sums of x, x^2 and x^3 over its scored samples."""

    night: Whole  # index into the nights
    case: Whole  # index into the cases
    count: Floats
    first: Floats
    second: Floats
    third: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Failures:
    """One entry for each case, night and failure category: the number of failed samples."""

    night: Whole
    case: Whole
    name: tuple[str, ...]
    count: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NightRows:
    """Nights, the oldest first. Cases are the union over their revisions, separated by content. `repeats` are the
    repeated answers, which measure only noise.
    """

    deployment: str
    set_name: str
    nights: tuple[Night, ...]
    categories: tuple[str, ...]  # of each case
    cells: Cells
    repeats: Cells
    failures: Failures
    case_ids: tuple[str, ...] = ()  # of each case; an edited case has its id twice
