"""Run one server with its jobs: start it on its own core, warm it up, send, and compare the stored spans with the
acknowledged ones.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path

from bench.ingest_study.jobs import WARM_S, Job, Task
from bench.ingest_study.measurement import Measurement
from bench.ingest_study.programs import ROOT, Program
from bench.ingest_study.sender import Errand, Sent
from bench.ingest_study.server import Recipe, Server
from bench.replay_study.machine import busy_s, conditions

REST_S = 4.0  # an idle daemon makes a checkpoint in this time
POLL_S = 0.1
QUERYABLE_S = 600.0
APART = 10**12  # distance of the numbers of two jobs: a fast connection may be far ahead of a slow one


class LostSpansError(Exception):
    """The server acknowledged spans that cannot be queried, or rejected requests."""


def measure(program: Program, task: Task, *, first: int = 0) -> list[Measurement]:
    """Return one measurement for each job. `first` is the number of the first span.

    Raise LostSpansError when the number of stored spans differs from the acknowledged one.
    """
    with tempfile.TemporaryDirectory(prefix="driftd-bench-") as name:
        recipe = program.recipe(Path(name))
        server_cores, sender_cores = _cores(task.jobs[0])
        sent, firsts, made = 0, count(first, APART), list[Measurement]()
        with Server(recipe, cores=server_cores) as server:
            for job in task.jobs:
                rate = job.share * made[-1].spans_a_second if made and not job.full else 0.0
                warm = send(recipe, job, sender_cores, first=next(firsts), seconds=WARM_S, rate=rate)
                sent += warm.spans
                _wait_until_stored(program, recipe, sent)
                measured = _measured(program, server, job, sender_cores, first=next(firsts), before=sent, rate=rate)
                sent += measured.spans
                made.append(measured)
            time.sleep(REST_S)
        _check(program, recipe, sent)
        disk = server.disk_bytes()
    return list(_with_disk(made, disk, sent))


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakMemory:
    """The largest memory of a server after so many spans, in MB. `log_bytes` is the largest log of its database that
    was seen: without checkpoints it grows with every span.
    """

    spans: int
    peak_rss_mb: float
    log_bytes: int


def peak_memory(program: Program, *, spans: int, job: Job, seconds: float = 5.0) -> PeakMemory:
    """Send at least `spans` spans at full load, as `job` says, `seconds` at a time. Raise LostSpansError as `measure`
    does.
    """
    with tempfile.TemporaryDirectory(prefix="driftd-bench-") as name:
        recipe = program.recipe(Path(name))
        server_cores, sender_cores = _cores(job)
        sent, firsts, log_bytes = 0, count(0, APART), 0
        with Server(recipe, cores=server_cores) as server:
            while sent < spans:
                sent += send(recipe, job, sender_cores, first=next(firsts), seconds=seconds, rate=0.0).spans
                logs = [file.with_name(file.name + ".wal") for file in recipe.data]
                log_bytes = max([log_bytes, *(log.stat().st_size for log in logs if log.exists())])
            peak_rss_mb = server.peak_rss_mb()
        _check(program, recipe, sent)
    return PeakMemory(spans=sent, peak_rss_mb=peak_rss_mb, log_bytes=log_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Minutes:
    """Some minutes of a server under a constant load: everything after `minute` minutes, and its CPU time and the
    slowest acknowledgements since the one before.
    """

    minute: int
    spans: int
    rss_mb: float
    peak_rss_mb: float
    cpu_us: float  # of a span
    ack_p99_ms: float
    disk_mb: float


def under_load(program: Program, *, job: Job, rate: float, minutes: int, step: int = 5) -> Iterator[Minutes]:
    """Send `rate` spans a second for `minutes`, and yield the state of the server every `step` minutes. Raise
    LostSpansError as `measure` does.
    """
    with tempfile.TemporaryDirectory(prefix="driftd-bench-") as name:
        recipe = program.recipe(Path(name))
        server_cores, sender_cores = _cores(job)
        sent, firsts = 0, count(0, APART)
        with Server(recipe, cores=server_cores) as server:
            for minute in range(step, minutes + step, step):
                cpu_s = server.cpu_s()
                now = send(recipe, job, sender_cores, first=next(firsts), seconds=60.0 * step, rate=rate)
                sent += now.spans
                acks = sorted(now.acks_ms)
                yield Minutes(
                    minute=minute,
                    spans=sent,
                    rss_mb=server.rss_mb(),
                    peak_rss_mb=server.peak_rss_mb(),
                    cpu_us=1e6 * (server.cpu_s() - cpu_s) / now.spans,
                    ack_p99_ms=acks[len(acks) * 99 // 100],
                    disk_mb=server.disk_bytes() / 1e6,
                )
        _check(program, recipe, sent)


def _measured(
    program: Program,
    server: Server,
    job: Job,
    sender_cores: frozenset[int],
    *,
    first: int,
    before: int,
    rate: float,
) -> Measurement:
    now, all_before_s, cpu_before_s = conditions(), busy_s(), server.cpu_s()
    own_before_s = time.process_time()
    sent = send(server.recipe, job, sender_cores, first=first, seconds=job.seconds, rate=rate)
    queryable_at = _wait_until_stored(program, server.recipe, before + sent.spans) or sent.ended_at
    cpu_s, all_s = server.cpu_s() - cpu_before_s, busy_s() - all_before_s
    wall_s = queryable_at - sent.began_at
    others_s = all_s - cpu_s - sent.cpu_s - (time.process_time() - own_before_s)
    acks = sorted(sent.acks_ms)
    if not acks:
        raise LostSpansError(f"{program.name} acknowledged no batch within {job.seconds:g} s; send for longer")
    return Measurement(
        program=program.name,
        version=program.version(),
        code=program.code(),
        job=job,
        spans=sent.spans,
        wall_s=wall_s,
        acked_s=sent.ended_at - sent.began_at,
        cpu_s=cpu_s,
        sender_cpu_s=sent.cpu_s,
        ack_p50_ms=acks[len(acks) // 2],
        ack_p99_ms=acks[min(len(acks) - 1, len(acks) * 99 // 100)],
        refused=sent.refused,
        disk_bytes=0,
        peak_rss_mb=server.peak_rss_mb(),
        others_cores=max(0.0, others_s) / wall_s,
        conditions=now,
    )


def _cores(job: Job) -> tuple[frozenset[int] | None, frozenset[int]]:
    """Return the cores of the server and the others for the sender. Return all cores for both when the job shares them,
    or when the machine has no others.
    """
    usable = sorted(os.sched_getaffinity(0))
    apart = len(usable) > job.cores and not job.all_cores
    return (frozenset(usable[: job.cores]), frozenset(usable[job.cores :])) if apart else (None, frozenset(usable))


def send(recipe: Recipe, job: Job, cores: frozenset[int], *, first: int, seconds: float, rate: float) -> Sent:
    """Send spans from a process on these cores; `first` is the number of the first span. Raise LostSpansError when a
    request fails.
    """
    errand = Errand(
        address=recipe.address,
        path=recipe.path,
        batch=job.batch,
        connections=job.connections,
        seconds=seconds,
        rate=rate,
        first=first,
        headers=recipe.headers,
    )
    core_numbers = ",".join(str(core) for core in sorted(cores))
    command = [sys.executable, "-m", "bench.ingest_study.sender", json.dumps(asdict(errand)), "--cores", core_numbers]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LostSpansError(f"the sender left with {done.returncode}: {done.stderr[-1000:]}")
    sent = Sent(**json.loads(done.stdout))
    if sent.wrong:
        raise LostSpansError(f"{recipe.address} answered {sent.wrong[0]}")
    return sent


def _wait_until_stored(program: Program, recipe: Recipe, spans: int) -> float | None:
    """Return the time when all spans could be queried, by the monotonic clock; None for a program that cannot be
    queried while it runs.
    """
    if not program.while_running:
        return None
    until = time.monotonic() + QUERYABLE_S
    while program.stored(recipe) < spans:
        if time.monotonic() > until:
            raise LostSpansError(f"{program.stored(recipe)} of {spans} spans can be queried after {QUERYABLE_S:g} s")
        time.sleep(POLL_S)
    return time.monotonic()


def _check(program: Program, recipe: Recipe, spans: int) -> None:
    stored = program.stored(recipe)
    if stored != spans:
        raise LostSpansError(f"{program.name}: {spans} spans were acknowledged and {stored} are stored")


def _with_disk(made: list[Measurement], disk_bytes: int, spans: int) -> Iterator[Measurement]:
    """Add the disk space per span, for everything that the server received."""
    for one in made:
        yield replace(one, disk_bytes=round(disk_bytes * one.spans / spans))
