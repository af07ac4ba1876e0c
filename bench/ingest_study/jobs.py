"""The jobs of a measurement: the program, the amount, the batch size and the number of connections."""

from collections.abc import Sequence
from dataclasses import dataclass

OURS = "driftd"
FLOOR = "floor"
RIVALS = ("arize-phoenix", "mlflow")
BATCHES = (100, 512)
WARM_S = 3.0  # of load before a measurement, which is not counted


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Job:
    """One measurement. `share` is the part of the rate that the program reached at full load just before; 1 is full
    load, as fast as it answers.

    With `all_cores` the server has every core of the machine, as by default, and shares them with the sender. Otherwise
    it has `cores` of its own; on a machine with fewer, all of them are shared.
    """

    batch: int
    connections: int
    seconds: float
    share: float = 1.0
    all_cores: bool = False
    cores: int = 1

    @property
    def full(self) -> bool:
        return self.share >= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The sizes of the jobs. Smaller ones are for testing the script."""

    seconds: float = 20.0
    connections: int = 4

    def full(self, batch: int) -> Job:
        return Job(batch=batch, connections=self.connections, seconds=self.seconds)

    def everywhere(self, batch: int) -> Job:
        return Job(batch=batch, connections=self.connections, seconds=self.seconds, all_cores=True)

    def on_cores(self, batch: int, cores: int) -> Job:
        return Job(batch=batch, connections=self.connections, seconds=self.seconds, cores=cores)

    def half(self, batch: int) -> Job:
        """Return the job at half load, with more connections, so that no batch waits for its sender."""
        return Job(batch=batch, connections=4 * self.connections, seconds=self.seconds, share=0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One program with consecutive jobs of one server process."""

    program: str
    jobs: tuple[Job, ...]


def tasks(sizes: Sizes) -> Sequence[Task]:
    """Return the tasks of a round in order: the floor runs next to the programs that are compared with it."""
    ours = [
        task
        for batch in BATCHES
        for task in (
            Task(program=FLOOR, jobs=(sizes.full(batch),)),
            Task(program=OURS, jobs=(sizes.full(batch), sizes.half(batch))),
        )
    ]
    ours += [
        Task(program=OURS, jobs=(job,))
        for batch in BATCHES
        for job in (sizes.on_cores(batch, 2), sizes.everywhere(batch))
    ]
    return [*ours, *(Task(program=name, jobs=(sizes.full(100),)) for name in RIVALS)]
