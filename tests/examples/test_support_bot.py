"""examples/support-bot fills its dynamic set: a correction, a review, and the next night."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from monitor.app import build
from monitor.clock import OffsetClock
from monitor.config.load import load
from monitor.daemon import App
from replay.recorded.data import load_recorded
from replay.recorded.endpoint import RecordedEndpoint
from tests.cli.conftest import Run, run  # noqa: F401  a fixture
from tests.docs.markdown import ROOT

EXAMPLE = ROOT / "examples/support-bot"
DOCUMENTED = "http://127.0.0.1:8000"
QUESTION = "I bought a kettle two weeks ago and have not opened it. Can I send it back?"
SETTLE_S = 60.0
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> OffsetClock:
    return OffsetClock(START)


@pytest.fixture
def app(tmp_path: Path, clock: OffsetClock) -> Iterator[App]:
    """Run `driftd serve` with the file of the example, on free ports."""
    folder = tmp_path / "support-bot"
    shutil.copytree(EXAMPLE, folder)
    endpoint = RecordedEndpoint(load_recorded(folder / "answers.jsonl"), model="support-llm")
    endpoint.start()
    config = folder / "driftd.yaml"
    text = config.read_text().replace(DOCUMENTED, endpoint.address)
    config.write_text(text + "api: {port: 0}\ningest: {otlp: {port: 0}, otlp_grpc: {port: 0}}\n")
    with (folder / "console.txt").open("w") as console:
        daemon = build(load(config, {}), clock=clock, console=console)
        daemon.start()
        try:
            yield daemon
        finally:
            daemon.stop()
            endpoint.stop()


def test_a_reviewed_correction_is_replayed_the_next_night(app: App, clock: OffsetClock, run: Run) -> None:  # noqa: F811
    url = app.addresses["api"]
    about = {"deployment": "support-bot", "started_at": "2026-03-01T11:00:00Z", "id": "call-1"}
    asked = {"model": "support-llm", "messages": [{"role": "user", "content": QUESTION}]}
    answered = {"model": "support-llm", "messages": [{"role": "assistant", "content": "[No] We take nothing back."}]}
    httpx.post(f"{url}/api/v1/interactions", json={**about, "request": asked, "response": answered}).raise_for_status()
    said = {"deployment": "support-bot", "interaction_id": "call-1", "kind": "report", "at": "2026-03-01T11:05:00Z"}
    words = {"comment": "unused goods may come back within 30 days", "failure_category": "wrong_refusal"}
    httpx.post(f"{url}/api/v1/feedback", json={**said, **words}).raise_for_status()
    app.settle(SETTLE_S)

    [waiting] = run("candidates", "list", "--url", url, "--json").document["items"]
    assert (waiting["ready"], waiting["failure_category"]) == (False, "wrong_refusal")
    assert run("candidates", "accept", waiting["id"], "--url", url).code == 1
    edited = run("candidates", "edit", waiting["id"], "--expected", "Yes", "--accept", "--url", url)
    assert edited.code == 0, edited.err

    clock.advance_to(START + timedelta(days=1))
    app.wake_schedule()
    app.settle(SETTLE_S)
    [night] = httpx.get(f"{url}/api/v1/runs").json()["items"]
    assert (night["set_name"], night["state"], night["passed"]) == ("support-corrections", "complete", 1)
