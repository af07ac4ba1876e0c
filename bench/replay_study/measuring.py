"""One measurement of a program and a job. The counts of the endpoint begin at 0, and must be those of the job."""

import tempfile
import time
from pathlib import Path

from bench.replay_study.endpoint import EndpointCounts
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
    counts = endpoint.counts()
    check_counts(program.name, job, counts, program.passed(ended.said))
    return Measurement(
        program=program.name,
        version=program.version(),
        code=program.code(),
        job=job,
        cpu_s=ended.cpu_s,
        peak_rss_mb=ended.peak_rss_mb,
        wall_s=ended.wall_s,
        first_request_s=counts.first_request_at - ended.started_at,
        span_s=counts.last_answer_at - counts.first_request_at,
        endpoint_cpu_s=counts.cpu_s,
        late_ms=1000 * counts.late_s / counts.answers,
        most_late_ms=1000 * counts.most_late_s,
        most_in_flight=counts.most_in_flight,
        connections=counts.connections,
        others_cores=_others_cores(all_s, own_s, ended, counts),
        conditions=now,
    )


def check_counts(program: str, job: Job, counts: EndpointCounts, passed: int) -> None:
    """Raises WrongCountError unless each question was asked once and the right ones passed."""
    asked, understood = counts.requests, counts.not_understood == 0
    if asked != job.cases or counts.answers != job.cases or not understood or passed != expected_passes(job.cases):
        raise WrongCountError(
            f"{program}: {asked} requests, {counts.answers} answers, {counts.not_understood} not understood and "
            f"{passed} passes, where {job.cases} cases with {expected_passes(job.cases)} passes were due"
        )
    if counts.most_in_flight > job.concurrency:
        raise WrongCountError(f"{program}: {counts.most_in_flight} requests at once, {job.concurrency} were allowed")


def _others_cores(all_s: float, own_s: float, ended: Ended, counts: EndpointCounts) -> float:
    return max(0.0, all_s - own_s - ended.cpu_s - counts.cpu_s) / ended.wall_s
