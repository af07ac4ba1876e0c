"""From the measured costs to the resources that a product needs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

BUSIEST_HOUR: Final = 0.1  # of the calls of a day
INTERACTION_DAYS: Final = 90  # the default of retention.interactions
OUTCOME_DAYS: Final = 730  # the default of retention.outcomes
UNCOMPACTED: Final = 0.2  # share of removed rows at which the file is compacted: retention.compact_share
RESERVE_BYTES: Final = 2**30  # the default of store.disk_reserve_mb
SPARE: Final = 1.2  # of CPU and memory
LEAST_CPU_M, LEAST_MEMORY_MI = 250, 2048  # the defaults of the chart
_MI, _GI = 2**20, 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The largest measured costs: seconds of CPU, bytes in a compacted file, and MiB of memory. `turn_cpu_s` is that of
    the judgment of one turn of a user. `copy` is the disk during a compaction, over the compacted file.
    """

    call_cpu_s: float
    turn_cpu_s: float
    call_bytes: float
    case_cpu_s: float
    case_bytes: float
    idle_cores: float
    peak_rss_mb: float
    copy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Values of the chart: thousandths of a core, MiB of memory, GiB of disk."""

    cpu_m: int
    memory_mi: int
    disk_gi: int


def costs(measured: Sequence[dict[str, Any]]) -> Costs:
    """Return the largest cost over all sizes and both kinds of sets. Measurements with turns give only their cost."""
    turned, plain = [one for one in measured if one["size"]["turns"]], [m for m in measured if not m["size"]["turns"]]
    per_case = [replay_cost(one, name) for one in plain for name in one["replays"]]
    steps = [
        step for one in measured for step in (one["ingest"], *one["replays"].values(), *one["compactions"].values())
    ]
    return Costs(
        call_cpu_s=max(call_cpu_s(one) for one in plain),
        turn_cpu_s=max((turn_cpu_s(one, plain) for one in turned), default=0.0),
        call_bytes=max(call_bytes(one) for one in plain),
        case_cpu_s=max(cpu_s for cpu_s, _ in per_case),
        case_bytes=max(stored for _, stored in per_case),
        idle_cores=max(max(one["idle_cores"].values()) for one in measured),
        peak_rss_mb=max(step["peak_rss_mb"] for step in steps),
        copy=max(copy_factor(one) for one in plain),
    )


def call_cpu_s(one: dict[str, Any]) -> float:
    """Return the seconds of CPU for an interaction, with the work of the loops after it."""
    return float(one["ingest"]["cpu_s"] / one["interactions"])


def turn_cpu_s(one: dict[str, Any], plain: Sequence[dict[str, Any]]) -> float:
    """Return the seconds of CPU for the judgment of a turn: what an interaction costs more than without it."""
    return call_cpu_s(one) - min(call_cpu_s(other) for other in plain)


def call_bytes(one: dict[str, Any]) -> float:
    """Return the bytes of an interaction in a compacted file."""
    return float((one["compactions"]["interactions"]["bytes"] - one["empty_bytes"]) / one["interactions"])


def replay_cost(one: dict[str, Any], set_name: str) -> tuple[float, float]:
    """Return the seconds of CPU, and the bytes in a compacted file, of a replayed case of the set."""
    cases, names = one["size"]["runs"] * one["size"]["cases"], list(one["compactions"])
    before = one["compactions"][names[names.index(set_name) - 1]]["bytes"]
    grown = float(one["compactions"][set_name]["bytes"] - before)
    return float(one["replays"][set_name]["cpu_s"]) / cases, grown / cases


def copy_factor(one: dict[str, Any]) -> float:
    """Return the disk at most during a compaction of the filled file, over the compacted file."""
    last = list(one["compactions"].values())[-1]
    return float(last["peak_disk_bytes"] / last["bytes"])


def request_for(calls: int, cases: int, of: Costs) -> Request:
    """Return what to request for so many calls a day and replayed cases a night, with the default retention.

    Each call has a turn of a user. The CPU is that of the busiest hour, or of the night when all cases are replayed
    within an hour. The disk has the rows of the whole retention, removed rows that are not compacted yet, the copy of a
    compaction, and the reserve.
    """
    cores = of.idle_cores + max(BUSIEST_HOUR * calls * (of.call_cpu_s + of.turn_cpu_s), cases * of.case_cpu_s) / 3600
    rows_bytes = calls * INTERACTION_DAYS * of.call_bytes + cases * OUTCOME_DAYS * of.case_bytes
    disk_bytes = rows_bytes * (of.copy + UNCOMPACTED / (1 - UNCOMPACTED)) + RESERVE_BYTES
    return Request(
        cpu_m=max(LEAST_CPU_M, 50 * math.ceil(SPARE * cores * 1000 / 50)),
        memory_mi=max(LEAST_MEMORY_MI, 256 * math.ceil(SPARE * of.peak_rss_mb / 256)),
        disk_gi=math.ceil(disk_bytes / _GI),
    )
