"""From stored measurements to the figures of the tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from bench.replay_study.jobs import Job
from bench.replay_study.measurement import Measurement


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """The middle of the rounds, with the smallest and the largest; `loaded` when one was made on a loaded machine."""

    middle: float
    low: float
    high: float
    rounds: int
    loaded: bool

    def times(self, factor: float) -> "Figure":
        """In another unit."""
        return Figure(
            middle=self.middle * factor,
            low=self.low * factor,
            high=self.high * factor,
            rounds=self.rounds,
            loaded=self.loaded,
        )


def of_job(made: Sequence[Measurement], job: Job) -> list[Measurement]:
    """Those of the job: the quiet ones, and all where none was."""
    chosen = [one for one in made if one.job == job]
    return [one for one in chosen if not one.loaded] or chosen


def figure(made: Sequence[Measurement], value: Callable[[Measurement], float]) -> Figure | None:
    """None without a measurement."""
    return summary([value(one) for one in made], loaded=any(one.loaded for one in made))


def cpu_per_case_ms(made: Sequence[Measurement], job: Job) -> Figure | None:
    """CPU time of the job above the middle of its start-up, over the cases that start-up has not.

    None while either was not measured, and for a job of one case.
    """
    whole, start_up = of_job(made, job), of_job(made, job.start_up)
    if not whole or not start_up or job.cases == 1:
        return None
    before_s = median(one.cpu_s for one in start_up)
    return summary(
        [1000 * (one.cpu_s - before_s) / (job.cases - 1) for one in whole],
        loaded=any(one.loaded for one in [*whole, *start_up]),
    )


def span_ratio(ours: Sequence[Measurement], theirs: Sequence[Measurement]) -> Figure | None:
    """Round by round, our time from first request to last answer over theirs of the same round."""
    pairs = list(zip(ours, theirs, strict=False))
    return summary([a.span_s / b.span_s for a, b in pairs], loaded=any(a.loaded or b.loaded for a, b in pairs))


def memory_per_case_bytes(few: Sequence[Measurement], many: Sequence[Measurement]) -> Figure | None:
    """How much the peak grows with a case, from the middle of the few."""
    if not few or not many or many[0].job.cases == few[0].job.cases:
        return None
    base_mb, more = median(one.peak_rss_mb for one in few), many[0].job.cases - few[0].job.cases
    loaded = any(one.loaded for one in [*few, *many])
    return summary([(one.peak_rss_mb - base_mb) * 2**20 / more for one in many], loaded=loaded)


def summary(values: Sequence[float], *, loaded: bool) -> Figure | None:
    if not values:
        return None
    return Figure(middle=median(values), low=min(values), high=max(values), rounds=len(values), loaded=loaded)
