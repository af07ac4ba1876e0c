"""Measurements as a test wants them."""

from dataclasses import replace

from bench.replay_study.jobs import Job
from bench.replay_study.measurement import Conditions, Measurement

FAST = Job(cases=101, latency_ms=50.0, concurrency=10)
QUIET = Conditions(at="2026-01-01T02:00:00+00:00", machine="a machine", cores=2, python="3.11.7", load_before=0.2)
LOADED = replace(QUIET, load_before=3.0)


def measured(program: str = "driftd", job: Job = FAST, **fields: object) -> Measurement:
    usual = Measurement(
        program=program,
        version="1.0",
        code="abc",
        job=job,
        cpu_s=2.0,
        peak_rss_mb=200.0,
        wall_s=3.0,
        first_request_s=0.8,
        span_s=0.6,
        endpoint_cpu_s=0.06,
        late_ms=0.5,
        most_late_ms=2.0,
        most_in_flight=10,
        connections=10,
        others_cores=0.05,
        conditions=QUIET,
    )
    return replace(usual, **fields)  # type: ignore[arg-type]  # by name
