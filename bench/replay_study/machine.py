"""The conditions of a measurement, as the kernel tells them."""

import os
import platform
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.replay_study.measurement import QUIET_LOAD, Conditions

_TICKS = os.sysconf("SC_CLK_TCK")
POLL_S = 5.0


def conditions() -> Conditions:
    return Conditions(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=processor(),
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        load_before=os.getloadavg()[0],
    )


def processor() -> str:
    """The name of the first processor."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def busy_s(stat: str | None = None) -> float:
    """CPU seconds that all processes of the machine have used since it started.

    >>> busy_s("cpu  100 0 50 900 30 5 15 0 0 0") * _TICKS
    170.0
    """
    text = Path("/proc/stat").read_text(encoding="utf-8") if stat is None else stat
    user, nice, system, _idle, _waiting, irq, softirq = (int(field) for field in text.split("\n", 1)[0].split()[1:8])
    return (user + nice + system + irq + softirq) / _TICKS


def wait_until_quiet(within_s: float) -> bool:
    """Whether the load fell below QUIET_LOAD in that time."""
    until = time.monotonic() + within_s
    while os.getloadavg()[0] >= QUIET_LOAD:
        if time.monotonic() >= until:
            return False
        time.sleep(POLL_S)
    return True
