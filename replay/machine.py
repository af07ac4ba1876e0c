"""The memory and the processors that this process may use: those of the machine, or fewer by its cgroups.

Both versions of cgroups are read, and every group from that of the process up to the root: the smallest limit counts.
"""

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

UNLIMITED_BYTES: Final = 1 << 60  # version 1 writes a number near 2**63 where version 2 writes "max"
ROOT: Final = Path("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A number of bytes or processors, and where it comes from: a file, or a sentence part."""

    value: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What this process may use. `in_cgroup`: a cgroup limits the memory to less than the machine has."""

    memory: Limit
    cpus: Limit
    in_cgroup: bool

    @property
    def threads(self) -> int:
        """The processors as a whole number, at least 1. A quota of 1.5 processors keeps two threads busy."""
        return max(1, math.ceil(self.cpus.value))


@cache
def this_machine() -> Machine:
    """Return what this process may use, read once."""
    return read_machine()


def read_machine(root: Path = ROOT, *, affinity: int | None = None) -> Machine:
    """Return what this process may use. `root` contains proc and sys; `affinity` replaces the usable processors."""
    groups = list(_groups(root))
    total = Limit(value=_total_memory(root), source="the memory of the machine")
    allowed = len(os.sched_getaffinity(0)) if affinity is None else affinity
    cores = Limit(value=allowed, source="the processors of the machine")
    found = [limit for group in groups if (limit := _memory_limit(group)) is not None]
    memory = min([total, *found], key=lambda limit: limit.value)
    cpus = min(
        [cores, *(limit for group in groups if (limit := _cpu_limit(group)) is not None)], key=lambda one: one.value
    )
    return Machine(memory=memory, cpus=cpus, in_cgroup=memory is not total)


def _groups(root: Path) -> Iterator[Path]:
    """Yield the folders of all groups of the process, each with its parents up to the mount of its hierarchy."""
    mounts = list(_mounts(_text(root / "proc/self/mountinfo")))
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        for mount in mounts:
            if mount.version == (2 if number == "0" else 1) and mount.has(controllers.split(",")):
                folder = root / mount.point.lstrip("/")
                yield from _upwards(folder, mount.inside(path))
                break


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mount:
    """A mounted hierarchy of cgroups. `root` is the group that is mounted: that of the container, or /."""

    version: int
    root: str
    point: str
    options: Sequence[str]

    def has(self, controllers: Sequence[str]) -> bool:
        return self.version == 2 or any(name in self.options for name in controllers)

    def inside(self, path: str) -> PurePosixPath:
        """Return the path of a group below the mount; the mount itself if the group is outside of it."""
        whole, root = PurePosixPath(path), PurePosixPath(self.root)
        return whole.relative_to(root) if whole.is_relative_to(root) else PurePosixPath()


def _mounts(mountinfo: str) -> Iterator[_Mount]:
    for line in mountinfo.splitlines():
        before, found, after = line.partition(" - ")
        fields, filesystem = before.split(" "), after.split(" ")
        if found and len(fields) > 4 and len(filesystem) > 2 and filesystem[0] in {"cgroup", "cgroup2"}:
            yield _Mount(
                version=2 if filesystem[0] == "cgroup2" else 1,
                root=fields[3],
                point=fields[4],
                options=filesystem[2].split(","),
            )


def _upwards(folder: Path, inside: PurePosixPath) -> Iterator[Path]:
    yield folder / inside
    yield from (folder / parent for parent in inside.parents)


def _memory_limit(group: Path) -> Limit | None:
    for name in ("memory.max", "memory.limit_in_bytes"):
        value = _number(_text(group / name))
        if value is not None and value < UNLIMITED_BYTES:
            return Limit(value=value, source=str(group / name))
    return None


def _cpu_limit(group: Path) -> Limit | None:
    quota, _, period = _text(group / "cpu.max").strip().partition(" ")
    source = group / "cpu.max"
    if not quota:
        source = group / "cpu.cfs_quota_us"
        quota, period = _text(source), _text(group / "cpu.cfs_period_us")
    given, each = _number(quota), _number(period)
    return None if not given or not each or given < 0 else Limit(value=given / each, source=str(source))


def _total_memory(root: Path) -> float:
    for line in _text(root / "proc/meminfo").splitlines():
        name, _, rest = line.partition(":")
        if name == "MemTotal" and (kib := _number(rest.removesuffix(" kB"))) is not None:
            return kib * 1024
    return float(UNLIMITED_BYTES)


def _number(text: str) -> float | None:
    r"""Return a number; None for "max", for an empty text and for anything else.

    >>> _number("1024\n"), _number("max\n"), _number("-1")
    (1024.0, None, -1.0)
    """
    try:
        return float(int(text))
    except ValueError:
        return None


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
