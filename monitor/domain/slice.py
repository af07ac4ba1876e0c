"""A slice of a run: some of its calls, replayed by one process of several."""

from collections.abc import Sequence
from dataclasses import dataclass

from replay.run.budget import Budget, Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceCalls:
    """The calls of one sample of the cases at some positions of the set of the run."""

    sample: int
    positions: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A slice that this process replays. `lease` and `epoch` are of the lease that it holds, `permits` the calls that
    it may have in flight, `budget` what it may use of the budgets of the run, and `expected` the cost of the most
    expensive reply so far. No process had a `fresh` slice before, so none of its calls has an outcome.
    """

    run_id: str
    number: int
    calls: SliceCalls
    lease: str
    epoch: int
    permits: int
    budget: Budget
    expected: Spent
    fresh: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceResult:
    """How the work on a slice ended. A slice that is not done waits for the next process, except when its part of a
    budget was the rest of that budget (`stopped_by`), or when a `problem` ends the run.
    """

    done: bool
    stopped_by: str | None = None
    problem: str | None = None
    outage: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SlicedRun:
    """A run whose slices are planned. `budgets` are those of the run and of the periods of its deployment."""

    run_id: str
    deployment: str
    target: str
    concurrency: int
    budgets: Sequence["SlicedBudget"]
    expected: Spent
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlicedBudget:
    """A budget that the slices share. `since` is the start of its period in ISO 8601, None for the budget of one run;
    `period` is the suffix of the names of its limits.
    """

    budget: Budget
    period: str = ""
    since: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceProgress:
    """The state of the slices of a run. `open` slices are not done, some of them are `at_work`. When the run is not
    `wanted` any more, `stopped_by` or `problem` is the reason, unless its planner stopped it.
    """

    open: int
    at_work: int
    wanted: bool
    stopped_by: str | None
    problem: str | None
    outage: bool
