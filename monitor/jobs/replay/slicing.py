"""The division of a run into slices for other processes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final, Protocol

from monitor.domain.evalset import CaseKey
from monitor.domain.run import Run
from monitor.domain.slice import SliceCalls
from monitor.jobs.replay.run_queue import Signals
from monitor.store.engine.database import Store
from monitor.store.runs import outcomes
from replay.run.budget import Budget
from replay.run.runner import RunReport
from replay.run.totals import Tally

LARGEST: Final = 250  # calls of a slice: what a kill repeats at most
SMALLEST: Final = 10
SLICES_OF_WORKER: Final = 4  # so that the last slices end at about the same time


class NoWorkers(Exception):
    """No other process replays slices now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The calls of a run to replay: the samples of the cases at some positions, and one more of those `repeated`."""

    positions: Sequence[int]
    repeated: Collection[str]
    samples: int
    first_sample: int = 0


class Workers(Protocol):
    """Other processes that replay the calls of a run (`sliced_replay.py`)."""

    @property
    def available(self) -> bool: ...

    def replay(self, run: Run, part: Part, *, budget: Budget, concurrency: int, signals: Signals) -> RunReport: ...


def tally_of(store: Store, run_id: str) -> Tally:
    """Return the totals of the stored outcomes of a run."""
    tally = Tally()
    with store.read() as tx:
        for outcome, scored in outcomes.outcome_summaries(tx, run_id):
            tally.add_outcome(outcome, scored=scored)
    return tally


def slices_of(
    part: Part, keys: Sequence[CaseKey], answered: Collection[tuple[str, int]], workers: int
) -> list[SliceCalls]:
    """Return slices of the calls of a part that are not answered. Their order is that of a run in one process, so a run
    that ends early lacks whole samples first.

    >>> from replay.types import Severity
    >>> keys = [CaseKey(id=f"c{n}", position=n, category="", severity=Severity.LOW) for n in range(3)]
    >>> part = Part(positions=[2, 0, 1], repeated={"c1"}, samples=1)
    >>> slices_of(part, keys, {("c0", 0)}, workers=1)
    [SliceCalls(sample=0, positions=[2, 1]), SliceCalls(sample=1, positions=[1])]
    """
    ids = {key.position: key.id for key in keys}
    rounds = [
        (sample, [place for place in part.positions if (ids[place], sample) not in answered])
        for sample in range(part.first_sample, part.first_sample + part.samples)
    ]
    last = part.first_sample + part.samples
    again = [place for place in part.positions if ids[place] in part.repeated and (ids[place], last) not in answered]
    rounds.append((last, again))
    calls = sum(len(places) for _, places in rounds)
    size = max(SMALLEST, min(LARGEST, ceil(calls / (max(workers, 1) * SLICES_OF_WORKER))))
    return [
        SliceCalls(sample=sample, positions=places[begin : begin + size])
        for sample, places in rounds
        for begin in range(0, len(places), size)
    ]
