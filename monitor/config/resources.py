"""The memory and the threads of the database and of ingest: configured, or from the limits of the process."""

from dataclasses import dataclass
from typing import Final

from monitor.config.server import IngestConfig
from monitor.config.store import StoreConfig
from monitor.config.tree import Config
from replay.machine import Machine, this_machine

MIB: Final = 2**20
SHARE: Final = 0.55  # of the memory of a cgroup: the rest is for Python, request bodies and the intake
WITHOUT_LIMIT_MB: Final = 1024  # a daemon shares a machine without limits with other programs
LEAST_MB: Final = 128
INTAKE_MB: Final = 128
INTAKE_SHARE: Final = 1 / 16  # a container of 2 GiB has the whole 128 MiB
BODIES_MB: Final = 256
BODIES_SHARE: Final = 1 / 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One limit and where it comes from."""

    name: str
    value: int
    source: str
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.value}{self.unit} ({self.source})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """The limits of a daemon."""

    memory_limit_mb: Resource
    threads: Resource
    intake_mb: Resource
    bodies_mb: Resource

    def __str__(self) -> str:
        return "; ".join(map(str, (self.memory_limit_mb, self.threads, self.intake_mb, self.bodies_mb)))


def resources(config: Config) -> Resources:
    """Return the limits of this process."""
    return resources_of(config.store, config.ingest, this_machine())


def resources_of(store: StoreConfig, ingest: IngestConfig, machine: Machine) -> Resources:
    """Return the limits: a configured value, else one for the memory and the processors of the process."""
    return Resources(
        memory_limit_mb=_database_memory(store, machine),
        threads=_threads(store, machine),
        intake_mb=_share_of(machine, "intake", INTAKE_MB, INTAKE_SHARE, ingest.intake_max_mb, "ingest.intake_max_mb"),
        bodies_mb=_share_of(machine, "request bodies", BODIES_MB, BODIES_SHARE),
    )


def _database_memory(store: StoreConfig, machine: Machine) -> Resource:
    name, unit = "DuckDB memory", " MiB"
    if store.memory_limit_mb is not None:
        return Resource(name=name, value=store.memory_limit_mb, source="store.memory_limit_mb", unit=unit)
    share_mb = int(machine.memory.value * SHARE / MIB)
    if not machine.in_cgroup and share_mb >= WITHOUT_LIMIT_MB:
        return Resource(name=name, value=WITHOUT_LIMIT_MB, source="default without a cgroup limit", unit=unit)
    return Resource(
        name=name, value=max(LEAST_MB, share_mb), source=f"{SHARE:.0%} of {machine.memory.source}", unit=unit
    )


def _threads(store: StoreConfig, machine: Machine) -> Resource:
    if store.threads is not None:
        return Resource(name="DuckDB threads", value=store.threads, source="store.threads")
    return Resource(name="DuckDB threads", value=machine.threads, source=machine.cpus.source)


def _share_of(  # noqa: PLR0917 - one limit and its key
    machine: Machine, name: str, most_mb: int, share: float, configured: int | None = None, key: str = ""
) -> Resource:
    if configured is not None:
        return Resource(name=name, value=configured, source=key, unit=" MiB")
    shared_mb = max(1, int(machine.memory.value * share / MIB))
    if shared_mb >= most_mb:
        return Resource(name=name, value=most_mb, source="default", unit=" MiB")
    return Resource(name=name, value=shared_mb, source=f"1/{round(1 / share)} of {machine.memory.source}", unit=" MiB")
