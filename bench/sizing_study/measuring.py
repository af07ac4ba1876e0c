"""One measurement: a new daemon gets interactions, replays its sets, and compacts its file."""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from bench.ingest_study.bodies import SERVICE
from bench.ingest_study.jobs import OURS
from bench.ingest_study.programs import ROOT, programs
from bench.ingest_study.sender import Errand, Sent
from bench.ingest_study.server import Recipe, Server
from bench.replay_study.endpoint_process import running_endpoint
from bench.replay_study.machine import conditions
from bench.sizing_study.daemon import REPLY_CHARACTERS, SETS, TIMEOUT_S, driftd, prepare
from bench.sizing_study.usage import Step, idle_cores, step

BATCH: Final = 512  # the default of the batch processor of OpenTelemetry SDKs
CONNECTIONS: Final = 4
SEND_S: Final = 2.0  # of sending, again and again until enough interactions are acknowledged
APART: Final = 10**9  # distance of the numbers of two sendings
LATENCY_MS: Final = 20.0
START_S: Final = 20.0  # until the loops have done their first work
POLL_S: Final = 0.5
INTERACTIONS: Final = "interactions"  # the compaction after them


class LostInteractionsError(Exception):
    """The daemon acknowledged another number of interactions than it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """`runs` of each set, with `cases` each. With `turns` the daemon judges the turn of a user in each interaction.
    `idle_s` is the time in which an idle daemon is measured.
    """

    interactions: int
    runs: int
    cases: int = 1_000
    turns: bool = False
    idle_s: float = 30.0


def measure(size: Size, memory_mb: int) -> dict[str, Any]:
    """Return what one daemon used for a size, as JSON. `memory_mb` is the limit of DuckDB."""
    now = conditions()
    with tempfile.TemporaryDirectory(prefix="driftd-sizing-") as name, running_endpoint() as endpoint:
        folder = Path(name)
        recipe = prepare(folder, endpoint.base_url, cases=size.cases, memory_mb=memory_mb, turns=size.turns)
        endpoint.begin(LATENCY_MS, REPLY_CHARACTERS)
        with Server(recipe) as server:
            time.sleep(START_S)
            started_mb, idle = server.rss_mb(), idle_cores(server, size.idle_s)
            empty = _compacted(server, folder, idle)
            with step(server, idle) as ingest:
                sent = _send(recipe, size.interactions)
            _report(f"{sent} interactions", ingest)
            if size.turns and (judged := _judged_turns(recipe)) < sent:
                raise LostInteractionsError(f"{judged} turns of {sent} are judged")
            compactions = {INTERACTIONS: _compacted(server, folder, idle)}
            replays: dict[str, Step] = {}
            for set_name in SETS if size.runs else ():
                with step(server, idle) as replays[set_name]:
                    _replay(recipe, set_name, size.runs)
                _report(f"{size.runs} runs of the {set_name} set", replays[set_name])
                compactions[set_name] = _compacted(server, folder, idle)
            idle_later = idle_cores(server, size.idle_s)
        _check(recipe, sent, size)
    return {
        "code": code(),
        "conditions": asdict(now),
        "load_after": os.getloadavg()[0],
        "memory_limit_mb": memory_mb,
        "size": asdict(size),
        "interactions": sent,
        "started_rss_mb": round(started_mb, 1),
        "idle_cores": {"empty": round(idle, 4), "filled": round(idle_later, 4)},
        "ingest": _rounded(ingest),
        "replays": {name: _rounded(one) for name, one in replays.items()},
        "empty_bytes": empty["bytes"],
        "compactions": compactions,
    }


def code() -> str:
    """Return the hash of the code of the daemon."""
    return programs()[OURS].code()


def _send(recipe: Recipe, interactions: int) -> int:
    """Send at full speed until at least so many are acknowledged. Return their number."""
    sent = turn = 0
    while sent < interactions:
        errand = Errand(
            address=recipe.address,
            path=recipe.path,
            batch=BATCH,
            connections=CONNECTIONS,
            seconds=SEND_S,
            first=turn * APART,
        )
        argv = [sys.executable, "-m", "bench.ingest_study.sender", json.dumps(asdict(errand))]
        counts = Sent(**json.loads(subprocess.run(argv, cwd=ROOT, capture_output=True, check=True).stdout))
        if counts.wrong:
            raise LostInteractionsError(f"{recipe.address} answered {counts.wrong[0]}")
        sent, turn = sent + counts.spans, turn + 1
    return sent


def _replay(recipe: Recipe, set_name: str, runs: int) -> None:
    """Replay the set so many times, one after the other, each until its verdict."""
    with httpx.Client(base_url=recipe.ready.removesuffix("/healthz"), timeout=60.0) as client:
        for _ in range(runs):
            planned = client.post("/api/v1/runs", json={"deployment": SERVICE, "set_name": set_name})
            run = planned.raise_for_status().json()
            until = time.monotonic() + TIMEOUT_S
            while run["verdict"] is None:
                if time.monotonic() > until or run["state"] in {"failed", "cancelled"}:
                    raise TimeoutError(f"run {run['id']} is {run['state']}")
                time.sleep(POLL_S)
                run = client.get(f"/api/v1/runs/{run['id']}").raise_for_status().json()


def _judged_turns(recipe: Recipe) -> int:
    metrics = httpx.get(recipe.ready.replace("/healthz", "/metrics"), timeout=60.0).raise_for_status().text
    found = [line for line in metrics.splitlines() if line.startswith('driftd_loop_rows_total{loop="turns"} ')]
    return round(float(found[0].rpartition(" ")[2])) if found else 0


def _report(what: str, one: Step) -> None:
    sys.stderr.write(
        f"{what}: {one.cpu_s:.1f} s of CPU in {one.wall_s:.0f} s, memory at most {one.peak_rss_mb:.0f} MB, "
        f"disk at most {one.peak_disk_bytes / 1e6:.1f} MB\n"
    )


def _check(recipe: Recipe, sent: int, size: Size) -> None:
    import duckdb

    expected = {"interaction": sent, "outcome": len(SETS) * size.runs * size.cases}
    with duckdb.connect(recipe.data[0] / "driftd.duckdb", read_only=True) as connection:
        tables = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchall() for name in expected}
    found = {name: int(rows[0][0]) for name, rows in tables.items()}
    if found != expected:
        raise LostInteractionsError(f"expected {expected}, and the database has {found}")


def _compacted(server: Server, folder: Path, idle: float) -> dict[str, float]:
    """Compact the file. Return what that used, with the `bytes` of all files afterwards, without removed rows."""
    with step(server, idle) as one:
        driftd(folder, "db", "compact", "--json")
    _report("compaction", one)
    return {**_rounded(one), "bytes": server.disk_bytes()}


def _rounded(one: Step) -> dict[str, float]:
    return {name: round(value, 3) for name, value in asdict(one).items()}
