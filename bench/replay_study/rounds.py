"""What is left to be measured of a number of rounds."""

from collections.abc import Sequence

from bench.replay_study.jobs import Task
from bench.replay_study.measurement import Measurement


def missing(task: Task, stored: Sequence[Measurement], code: str, rounds: int) -> bool:
    """Whether fewer than `rounds` measurements of the task are there, by this code and on a quiet machine.

    A loaded measurement is made again, once a round, for a quiet one may come.
    """
    quiet = [one for one in stored if one.job == task.job and one.code == code and not one.loaded]
    return len(quiet) < rounds
