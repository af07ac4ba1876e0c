"""What is measured: figure by figure, which programs ask how many questions, how slowly answered, how many at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

OURS = "driftd"
BARE = "httpx-aiohttp"
REFERENCES = (BARE, "aiohttp")
RIVALS = ("pydantic-evals", "deepeval", "promptfoo", "inspect-ai", "lm-eval")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Job:
    """So many questions, each answered after `latency_ms`, at most `concurrency` at once."""

    cases: int
    latency_ms: float
    concurrency: int

    @property
    def ideal_s(self) -> float:
        """From the first request to the last answer, when asking takes no time.

        >>> Job(cases=2000, latency_ms=500, concurrency=200).ideal_s
        5.0
        """
        return self.cases * self.latency_ms / 1000 / self.concurrency

    @property
    def start_up(self) -> "Job":
        """The same with one case: what a program costs before it asks."""
        return replace(self, cases=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The sizes of all figures; smaller ones are for trying the script."""

    cases: int = 2000
    slow_ms: float = 500.0
    slow_at_once: int = 200
    fast_ms: float = 50.0
    fast_at_once: int = 50
    many_cases: int = 100_000
    many_ms: float = 20.0

    @property
    def slow(self) -> Job:
        """Held against the ideal."""
        return Job(cases=self.cases, latency_ms=self.slow_ms, concurrency=self.slow_at_once)

    @property
    def fast(self) -> Job:
        """Held against a bare client and the rivals."""
        return Job(cases=self.cases, latency_ms=self.fast_ms, concurrency=self.fast_at_once)

    @property
    def few(self) -> Job:
        return replace(self.many, cases=self.cases)

    @property
    def many(self) -> Job:
        """Does memory grow with the cases?"""
        return Job(cases=self.many_cases, latency_ms=self.many_ms, concurrency=self.slow_at_once)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One program with one job, to be measured once in each round."""

    program: str
    job: Job


def figures(sizes: Sizes) -> dict[str, Sequence[Task]]:
    """Figure to its tasks, in the order in which a round makes them."""
    slow, fast = sizes.slow, sizes.fast
    return {
        "ideal": [*_pair(OURS, slow)],
        "bare": [task for name in (OURS, *REFERENCES) for task in _pair(name, fast)],
        "rivals": [task for name in RIVALS for task in _pair(name, fast)],
        "memory": [Task(program=OURS, job=sizes.few), Task(program=OURS, job=sizes.many)],
    }


def _pair(program: str, job: Job) -> Iterator[Task]:
    yield Task(program=program, job=job.start_up)
    yield Task(program=program, job=job)
