"""The limits of the database and of ingest: a configured value, or a share of what the process may use."""

import pytest

from monitor.config.resources import resources_of
from monitor.config.server import IngestConfig
from monitor.config.tree import Config
from replay.machine import Limit, Machine
from tests.config.builders import config

MIB = 2**20


def machine(memory_mb: int, *, cpus: float = 8, in_cgroup: bool = True) -> Machine:
    return Machine(
        memory=Limit(value=memory_mb * MIB, source="/sys/fs/cgroup/memory.max" if in_cgroup else "the machine"),
        cpus=Limit(value=cpus, source="/sys/fs/cgroup/cpu.max"),
        in_cgroup=in_cgroup,
    )


def limits(of: Config, on: Machine) -> list[int]:
    found = resources_of(of.store, of.ingest, on)
    return [found.memory_limit_mb.value, found.threads.value, found.intake_mb.value, found.bodies_mb.value]


@pytest.mark.parametrize(
    ("memory_mb", "in_cgroup", "expected"),
    [
        (512, True, [281, 8, 32, 64]),
        (2048, True, [1126, 8, 128, 256]),
        (65_536, True, [36_044, 8, 128, 256]),
        (65_536, False, [1024, 8, 128, 256]),
        (1024, False, [563, 8, 64, 128]),
        (64, True, [128, 8, 4, 8]),
    ],
)
def test_limits_follow_the_memory_of_the_process(memory_mb: int, in_cgroup: bool, expected: list[int]) -> None:
    assert limits(config(), machine(memory_mb, in_cgroup=in_cgroup)) == expected


def test_explicit_configuration_wins() -> None:
    given = config(store={"memory_limit_mb": 4096, "threads": 3}, ingest={"intake_max_mb": 7})
    assert limits(given, machine(512)) == [4096, 3, 7, 64]
    assert str(resources_of(given.store, given.ingest, machine(512))) == (
        "DuckDB memory 4096 MiB (store.memory_limit_mb); DuckDB threads 3 (store.threads); intake 7 MiB "
        "(ingest.intake_max_mb); request bodies 64 MiB (1/8 of /sys/fs/cgroup/memory.max)"
    )


def test_every_limit_names_its_source() -> None:
    found = resources_of(config().store, IngestConfig(), machine(2048, cpus=1.5))
    assert str(found) == (
        "DuckDB memory 1126 MiB (55% of /sys/fs/cgroup/memory.max); DuckDB threads 2 (/sys/fs/cgroup/cpu.max); "
        "intake 128 MiB (default); request bodies 256 MiB (default)"
    )
