"""One measurement: a program, a job, the endpoint told to begin anew, and a check that all was really asked."""

import tempfile
import time
from pathlib import Path

from bench.replay_study.endpoint import Told
from bench.replay_study.endpoint_process import EndpointProcess
from bench.replay_study.jobs import Job
from bench.replay_study.machine import busy_s, conditions
from bench.replay_study.measurement import Measurement
from bench.replay_study.process import Ended, run_to_end
from bench.replay_study.programs import Program
from bench.replay_study.questions import expected_passes

TIMEOUT_S = 1800.0


class WrongCountError(Exception):
    """The program asked, or let pass, other cases than it should: its time says nothing."""


def measure(program: Program, job: Job, endpoint: EndpointProcess) -> Measurement:
    with tempfile.TemporaryDirectory(prefix="driftd-bench-") as name:
        command = program.prepare(Path(name), job, endpoint.base_url)
        now = conditions()
        endpoint.begin(job.latency_ms)
        own_before, all_before = time.process_time(), busy_s()
        ended = run_to_end(command, timeout_s=TIMEOUT_S)
        own_s, all_s = time.process_time() - own_before, busy_s() - all_before
    told = endpoint.told()
    check_counts(program.name, job, told, program.passed(ended.said))
    return Measurement(
        program=program.name,
        version=program.version(),
        code=program.code(),
        job=job,
        cpu_s=ended.cpu_s,
        peak_rss_mb=ended.peak_rss_mb,
        wall_s=ended.wall_s,
        first_request_s=told.first_request_at - ended.started_at,
        span_s=told.last_answer_at - told.first_request_at,
        endpoint_cpu_s=told.cpu_s,
        late_ms=1000 * told.late_s / told.answers,
        most_late_ms=1000 * told.most_late_s,
        most_in_flight=told.most_in_flight,
        connections=told.connections,
        others_cores=_others_cores(all_s, own_s, ended, told),
        conditions=now,
    )


def check_counts(program: str, job: Job, told: Told, passed: int) -> None:
    """Raises WrongCountError unless each question was asked once and the right ones passed."""
    asked, understood = told.requests, told.not_understood == 0
    if asked != job.cases or told.answers != job.cases or not understood or passed != expected_passes(job.cases):
        raise WrongCountError(
            f"{program}: {asked} requests, {told.answers} answers, {told.not_understood} not understood and {passed} "
            f"passes, where {job.cases} cases with {expected_passes(job.cases)} passes were due"
        )
    if told.most_in_flight > job.concurrency:
        raise WrongCountError(f"{program}: {told.most_in_flight} requests at once, {job.concurrency} were allowed")


def _others_cores(all_s: float, own_s: float, ended: Ended, told: Told) -> float:
    return max(0.0, all_s - own_s - ended.cpu_s - told.cpu_s) / ended.wall_s
