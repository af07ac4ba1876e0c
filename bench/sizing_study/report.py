"""The tables of docs/sizing.md."""

from collections.abc import Sequence
from typing import Any

from bench.drift_study.markdown import table
from bench.sizing_study.advice import (
    Costs,
    call_bytes,
    call_cpu_s,
    copy_factor,
    costs,
    replay_cost,
    request_for,
    turn_cpu_s,
)

DAYS = ((10_000, 200), (100_000, 1_000), (300_000, 2_000), (1_000_000, 5_000))  # calls a day, cases a night
Measured = dict[str, Any]


def report(measured: Sequence[Measured]) -> str:
    """Return the measured tables, one row for each size, and what to request for some products."""
    ordered = sorted(measured, key=lambda one: int(one["interactions"]))
    turned = [one for one in ordered if one["size"]["turns"]]
    plain = [one for one in ordered if not one["size"]["turns"]]
    found = costs(ordered)
    sets = [name for one in plain[:1] for name in one["replays"]]
    return "".join(
        [
            table("Interactions", _INTERACTIONS, [_interactions(one) for one in plain]),
            table("Turns of users", _TURNS, [_turns(one, plain) for one in turned]),
            table("Replayed cases", _CASES, [_replay(one, name) for name in sets for one in plain]),
            table("Idle daemon", _IDLE, [_idle(one) for one in plain]),
            _conditions(ordered),
            table("What to request", _REQUEST, [_request(calls, cases, found) for calls, cases in DAYS]),
        ]
    )


_INTERACTIONS = (
    "interactions",
    "CPU, s per million",
    "disk, MB per million",
    "peak memory, MiB",
    "of a compaction, MiB",
    "compaction needs",
)
_TURNS = ("interactions with a turn", "CPU, s per million turns", "peak memory, MiB")
_CASES = ("set", "cases", "CPU, s per thousand", "disk, MB per thousand", "peak memory, MiB")
_IDLE = ("interactions", "memory after the start, MiB", "CPU when empty, cores", "CPU when filled, cores")
_REQUEST = ("calls a day", "cases a night", "CPU request", "memory limit", "`persistence.size`")


def _interactions(one: Measured) -> list[str]:
    return [
        f"{one['interactions']:,}",
        f"{call_cpu_s(one) * 1e6:,.0f}",
        f"{call_bytes(one):,.0f}",
        f"{one['ingest']['peak_rss_mb']:,.0f}",
        f"{max(step['peak_rss_mb'] for step in one['compactions'].values()):,.0f}",
        f"{copy_factor(one):.2f} of the file",
    ]


def _turns(one: Measured, plain: Sequence[Measured]) -> list[str]:
    return [
        f"{one['interactions']:,}",
        f"{turn_cpu_s(one, plain) * 1e6:,.0f}",
        f"{one['ingest']['peak_rss_mb']:,.0f}",
    ]


def _replay(one: Measured, name: str) -> list[str]:
    cpu_s, stored = replay_cost(one, name)
    cases = one["size"]["runs"] * one["size"]["cases"]
    peak_mb = one["replays"][name]["peak_rss_mb"]
    return [name, f"{cases:,}", f"{cpu_s * 1e3:.2f}", f"{stored / 1e3:.2f}", f"{peak_mb:,.0f}"]


def _idle(one: Measured) -> list[str]:
    idle = one["idle_cores"]
    return [
        f"{one['interactions']:,}",
        f"{one['started_rss_mb']:,.0f}",
        f"{idle['empty']:.3f}",
        f"{idle['filled']:.3f}",
    ]


def _conditions(measured: Sequence[Measured]) -> str:
    first = measured[0]["conditions"]
    loads = [load for one in measured for load in (one["conditions"]["load_before"], one["load_after"])]
    return (
        f"\nMeasured on {first['machine']}, {first['cores']} cores, Python {first['python']}, {first['at'][:10]}, with "
        f"{measured[0]['memory_limit_mb']} MiB for DuckDB; the load average was {min(loads):.1f} to {max(loads):.1f}.\n"
    )


def _request(calls: int, cases: int, of: Costs) -> list[str]:
    asked = request_for(calls, cases, of)
    return [f"{calls:,}", f"{cases:,}", f"`{asked.cpu_m}m`", f"`{asked.memory_mi}Mi`", f"`{asked.disk_gi}Gi`"]
