"""A program is measured for real: the endpoint in its process, a bare client in another."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.replay_study.endpoint import EndpointCounts
from bench.replay_study.endpoint_process import EndpointProcess, running_endpoint
from bench.replay_study.jobs import REFERENCES, RIVALS, Job
from bench.replay_study.measuring import WrongCountError, check_counts, measure
from bench.replay_study.process import Command, CommandFailedError, run_to_end
from bench.replay_study.profile import profile
from bench.replay_study.programs import OFFLINE, programs

JOB = Job(cases=30, latency_ms=20.0, concurrency=10)
FOLDER = Path(__file__).resolve().parents[2] / "bench" / "replay_study"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with running_endpoint() as running:
        yield running


def command(folder: Path, code: str) -> Command:
    return Command(argv=[sys.executable, "-c", code], folder=folder, env=dict(os.environ))


@pytest.mark.parametrize("name", REFERENCES)
def test_a_bare_client_asks_every_question_once_within_its_concurrency(endpoint: EndpointProcess, name: str) -> None:
    made = measure(programs()[name], JOB, endpoint)
    assert made.most_in_flight == 10
    assert made.connections >= 10
    assert made.span_s >= JOB.ideal_s
    assert 0 < made.first_request_s < made.wall_s
    assert 0 < made.endpoint_cpu_s < made.cpu_s
    assert made.peak_rss_mb > 10


def test_driftd_is_measured_as_the_command_it_is(endpoint: EndpointProcess) -> None:
    made = measure(programs()["driftd"], JOB, endpoint)
    assert made.span_s >= JOB.ideal_s
    assert made.most_in_flight == 10


def test_the_profile_covers_each_part_the_loop_and_both_sinks() -> None:
    text = profile(JOB)
    parts = re.findall(r"^\| (the target alone|with .*|and telemetry) \| (\d+\.\d{3}) \|$", text, flags=re.MULTILINE)
    assert len(parts) == 5
    assert all(float(took_ms) > 0 for _, took_ms in parts)
    loop, jsonl, store = (text.split("### The ")[at] for at in (1, 2, 3))
    assert "| asyncio |" in loop
    assert "| replay/outcome_codec.py |" in jsonl
    assert "| monitor/store/engine/transaction.py |" in store


def test_the_endpoint_resets_its_counts_for_each_measurement(endpoint: EndpointProcess) -> None:
    endpoint.begin(1.0)
    assert endpoint.counts().requests == 0


@pytest.mark.parametrize(
    ("counts", "passed"),
    [
        (EndpointCounts(requests=29, answers=29), 27),
        (EndpointCounts(requests=31, answers=31), 27),
        (EndpointCounts(requests=30, answers=30), 30),
        (EndpointCounts(requests=30, answers=30, not_understood=1), 27),
        (EndpointCounts(requests=30, answers=30, most_in_flight=11), 27),
    ],
    ids=["one was not asked", "one was asked twice", "nothing was checked", "another question", "more at once"],
)
def test_a_program_that_did_other_work_has_no_figure(counts: EndpointCounts, passed: int) -> None:
    check_counts("it", JOB, EndpointCounts(requests=30, answers=30, most_in_flight=10), 27)
    with pytest.raises(WrongCountError, match="it: "):
        check_counts("it", JOB, counts, passed)


def test_cpu_and_memory_are_those_of_the_process(tmp_path: Path) -> None:
    lazy = run_to_end(command(tmp_path, "import time; time.sleep(0.2)"), timeout_s=60)
    busy = run_to_end(
        command(tmp_path, "import time; x = b'x' * 2**28\nwhile time.process_time() < 0.6: pass"), timeout_s=60
    )
    assert lazy.wall_s >= 0.2
    assert busy.cpu_s >= 0.6 > lazy.cpu_s
    assert busy.peak_rss_mb > 256


def test_a_command_that_fails_is_reported_with_its_output(tmp_path: Path) -> None:
    with pytest.raises(CommandFailedError, match="left with 3: too bad"):
        run_to_end(command(tmp_path, "import sys; sys.stderr.write('too bad'); sys.exit(3)"), timeout_s=60)


def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    with pytest.raises(CommandFailedError, match="left with -9"):
        run_to_end(command(tmp_path, "import time; time.sleep(60)"), timeout_s=0.3)


def test_rivals_reach_nothing_but_loopback_by_their_configuration() -> None:
    assert OFFLINE["HTTPS_PROXY"].startswith("http://127.0.0.1:")
    assert "127.0.0.1" in OFFLINE["NO_PROXY"]


def test_every_rival_has_a_lock_with_hashes_and_a_version() -> None:
    for name in RIVALS:
        assert re.fullmatch(r"\d+(\.\d+)+", programs()[name].version()), name
    for lock in FOLDER.glob("requirements-*.lock"):
        assert "--hash=sha256:" in lock.read_text(encoding="utf-8")
    assert '"integrity": "sha512-' in (FOLDER / "promptfoo" / "package-lock.json").read_text(encoding="utf-8")
