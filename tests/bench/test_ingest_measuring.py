"""The script is tried for real: bodies as protobuf reads them, a daemon in its process, a sender in another."""

import time

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from bench.ingest_study.bodies import body
from bench.ingest_study.jobs import FLOOR, OURS, Job, Task
from bench.ingest_study.measuring import measure, peak_memory
from bench.ingest_study.profile import profile
from bench.ingest_study.programs import programs


def test_no_two_spans_of_any_two_sendings_share_an_id_or_a_question() -> None:
    made = body(20, seed=3)
    at_ns = time.time_ns()
    spans = [
        span
        for first in (0, 20, 10**12)
        for group in ExportTraceServiceRequest.FromString(made.sent(first, at_ns)).resource_spans
        for span in group.scope_spans[0].spans
    ]
    assert len({span.trace_id for span in spans}) == len({span.span_id for span in spans}) == len(spans) == 60
    questions = {pair.value.string_value for s in spans for pair in s.attributes if pair.key == "gen_ai.input.messages"}
    assert len(questions) == 60
    assert {(span.start_time_unix_nano, span.end_time_unix_nano) for span in spans} == {(at_ns, at_ns + 10**9)}


def test_a_span_carries_about_two_thousand_characters_of_text() -> None:
    made = body(50, seed=3)
    assert 2000 < len(made.sent(0, 1)) / 50 < 3200


@pytest.mark.parametrize("name", [OURS, FLOOR])
def test_a_server_is_measured_at_full_load_and_at_half(name: str) -> None:
    jobs = (
        Job(batch=20, connections=2, seconds=2.0),
        Job(batch=20, connections=2, seconds=2.0, share=0.5),
    )
    full, half = measure(programs()[name], Task(program=name, jobs=jobs))
    assert full.spans > 40
    assert half.spans_a_second < full.spans_a_second
    assert 0 < full.ack_p50_ms <= full.ack_p99_ms
    assert full.cpu_s > 0
    assert full.peak_rss_mb > 20
    assert full.bytes_a_span > 100


def test_the_peak_memory_is_that_after_at_least_so_many_spans() -> None:
    job = Job(batch=20, connections=2, seconds=1.0, all_cores=True)
    found = peak_memory(programs()[OURS], spans=41, job=job, seconds=1.0)
    assert found.spans > 40
    assert found.peak_rss_mb > 100
    assert found.log_bytes > 2 * 20 * 1000  # the log has the texts of at least one commit


def test_the_profile_goes_step_by_step_and_file_by_file() -> None:
    text = profile()
    assert "| protobuf to records |" in text
    assert "| together |" in text
    assert "| monitor/ingest/otlp/protobuf.py |" in text
