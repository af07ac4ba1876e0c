"""Memory and processors from the files of cgroups, of both versions."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from replay.machine import read_machine

GIB, MIB = 2**30, 2**20
MEMINFO = "MemTotal:       16777216 kB\nMemFree:         1234 kB\n"  # 16 GiB
V2_MOUNT = "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
V1_MOUNTS = (
    "30 23 0:27 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory\n"
    "31 23 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct"
)
NO_LIMIT_V1 = "9223372036854771712\n"


def root_with(folder: Path, cgroup: str, mountinfo: str, files: Mapping[str, str]) -> Path:
    """Write proc and sys/fs/cgroup below a folder."""
    own = {"proc/self/cgroup": cgroup, "proc/self/mountinfo": mountinfo, "proc/meminfo": MEMINFO}
    for name, text in {**own, **{f"sys/fs/cgroup/{name}": text for name, text in files.items()}}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_without_a_limit_the_machine_counts(tmp_path: Path) -> None:
    files = {"app/memory.max": "max\n", "app/cpu.max": "max 100000\n"}
    found = read_machine(root_with(tmp_path, "0::/app\n", V2_MOUNT, files), affinity=8)
    assert (found.memory.value, found.cpus.value, found.in_cgroup) == (16 * GIB, 8, False)
    assert (found.memory.source, found.cpus.source) == ("the memory of the machine", "the processors of the machine")


def test_version_2_has_the_limits_of_a_container_at_the_root_of_its_namespace(tmp_path: Path) -> None:
    files = {"memory.max": f"{2 * GIB}\n", "cpu.max": "150000 100000\n"}
    found = read_machine(root_with(tmp_path, "0::/\n", V2_MOUNT, files), affinity=8)
    assert (found.memory.value, found.cpus.value, found.threads, found.in_cgroup) == (2 * GIB, 1.5, 2, True)
    assert found.memory.source.endswith("/sys/fs/cgroup/memory.max")
    assert found.cpus.source.endswith("/sys/fs/cgroup/cpu.max")


def test_the_smallest_limit_of_nested_groups_counts(tmp_path: Path) -> None:
    files = {
        "pods.slice/memory.max": f"{1 * GIB}\n",
        "pods.slice/pod/memory.max": f"{4 * GIB}\n",
        "pods.slice/pod/app/memory.max": "max\n",
        "pods.slice/cpu.max": "400000 100000\n",
        "pods.slice/pod/cpu.max": "50000 100000\n",
    }
    found = read_machine(root_with(tmp_path, "0::/pods.slice/pod/app\n", V2_MOUNT, files), affinity=8)
    assert (found.memory.value, found.cpus.value, found.threads) == (1 * GIB, 0.5, 1)
    assert found.memory.source.endswith("pods.slice/memory.max")
    assert found.cpus.source.endswith("pods.slice/pod/cpu.max")


def test_version_1_has_a_hierarchy_for_each_controller(tmp_path: Path) -> None:
    cgroup = "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n1:name=systemd:/docker/abc\n"
    files = {
        "memory/memory.limit_in_bytes": NO_LIMIT_V1,
        "memory/docker/abc/memory.limit_in_bytes": f"{512 * MIB}\n",
        "cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
        "cpu,cpuacct/cpu.cfs_period_us": "100000\n",
        "cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "200000\n",
        "cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000\n",
    }
    found = read_machine(root_with(tmp_path, cgroup, V1_MOUNTS, files), affinity=8)
    assert (found.memory.value, found.cpus.value, found.in_cgroup) == (512 * MIB, 2, True)


def test_version_1_without_a_limit_is_the_machine(tmp_path: Path) -> None:
    files = {"memory/memory.limit_in_bytes": NO_LIMIT_V1, "cpu,cpuacct/cpu.cfs_quota_us": "-1\n"}
    found = read_machine(root_with(tmp_path, "4:memory:/\n5:cpu,cpuacct:/\n", V1_MOUNTS, files), affinity=8)
    assert (found.memory.value, found.cpus.value, found.in_cgroup) == (16 * GIB, 8, False)


def test_a_container_without_its_own_namespace_sees_only_its_group_at_the_mount(tmp_path: Path) -> None:
    """The path names groups of the host; the mount shows the container's group, with that path as its root."""
    mount = "30 23 0:27 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory"
    files = {"memory/memory.limit_in_bytes": f"{GIB}\n", "memory/inner/memory.limit_in_bytes": f"{256 * MIB}\n"}
    root = root_with(tmp_path, "4:memory:/docker/abc/inner\n", mount, files)
    assert read_machine(root).memory.value == 256 * MIB
    (root / "proc/self/cgroup").write_text("4:memory:/elsewhere\n")
    assert read_machine(root).memory.value == GIB


def test_both_versions_at_once_count_together(tmp_path: Path) -> None:
    mounts = f"{V1_MOUNTS}\n32 23 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"
    files = {
        "unified/app/memory.max": f"{4 * GIB}\n",
        "memory/app/memory.limit_in_bytes": f"{3 * GIB}\n",
    }
    found = read_machine(root_with(tmp_path, "4:memory:/app\n0::/app\n", mounts, files), affinity=8)
    assert found.memory.value == 3 * GIB


def test_a_limit_above_the_machine_and_an_affinity_below_the_quota_do_not_count(tmp_path: Path) -> None:
    files = {"memory.max": f"{64 * GIB}\n", "cpu.max": "800000 100000\n"}
    found = read_machine(root_with(tmp_path, "0::/\n", V2_MOUNT, files), affinity=2)
    assert (found.memory.value, found.cpus.value, found.in_cgroup) == (16 * GIB, 2, False)


@pytest.mark.parametrize("text", ["", "garbage\n", "0::\n", ":::\n", "4:memory\n"])
def test_files_that_cannot_be_read_or_understood_leave_the_machine(tmp_path: Path, text: str) -> None:
    found = read_machine(root_with(tmp_path, text, "30 23 - cgroup2\nx", {}), affinity=2)
    assert (found.memory.value, found.cpus.value) == (16 * GIB, 2)


@contextmanager
def real_group(controller: str, settings: Mapping[str, str]) -> Iterator[Path]:
    """Create a group of this machine with limits. Skip without write permission."""
    parent = next(
        (p for p in (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup") / controller) if _has(p, controller)), None
    )
    if parent is None:
        pytest.skip(f"no hierarchy of cgroups here has the controller {controller}")
    group = parent / f"driftd-test-{controller}"
    try:
        group.mkdir()
        for name, value in settings.items():
            if (group / name).exists():
                (group / name).write_text(value)
    except OSError as error:
        pytest.skip(f"{group} cannot be created: {error}")
    try:
        yield group
    finally:
        group.rmdir()


def _has(folder: Path, controller: str) -> bool:
    names = folder / "cgroup.subtree_control"
    if names.exists():
        return controller in names.read_text().split()
    return folder.name == controller and folder.is_dir()


def test_a_process_in_a_real_cgroup_finds_its_limits() -> None:
    program = (
        "import os, sys\n"
        "for group in sys.argv[1:]:\n"
        "    open(f'{group}/cgroup.procs', 'w').write(str(os.getpid()))\n"
        "from replay.machine import read_machine\n"
        "found = read_machine(affinity=64)\n"
        "print(int(found.memory.value), found.cpus.value, found.in_cgroup)\n"
    )
    memory = {"memory.max": str(300 * MIB), "memory.limit_in_bytes": str(300 * MIB)}
    cpu = {"cpu.max": "150000 100000", "cpu.cfs_quota_us": "150000"}
    with real_group("memory", memory) as first, real_group("cpu", cpu) as second:
        ran = subprocess.run(
            [sys.executable, "-c", program, str(first), str(second)], capture_output=True, text=True, check=True
        )
    assert ran.stdout.split() == [str(300 * MIB), "1.5", "True"]
