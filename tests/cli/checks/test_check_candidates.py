"""`driftd check` reports whether corrections are accepted."""

import json
from pathlib import Path

import pytest

from monitor.cli.checks.candidates import check_counts
from monitor.cli.checks.line import State
from monitor.config.load import load
from monitor.domain.review import CandidateCounts
from tests.cli.conftest import Run
from tests.cli.house import write_house
from tests.cli.test_check import change, lines_of
from tests.ports import free_port

CHECK = "corrections support"
GROWN = {"kind": "dynamic", "scorers": [{"kind": "contains"}]}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = write_house(
        tmp_path, model_url="http://127.0.0.1:9/v1", api_port=free_port(), otlp_port=free_port(), grpc_port=free_port()
    )
    return change(path, sets={"grown": GROWN}, deployments={"support": {"target": "model", "sets": ["grown"]}})


def ingest(run: Run, config: Path, **said: object) -> None:
    call = {
        "type": "interaction",
        "id": "call",
        "deployment": "support",
        "started_at": "2026-11-21T02:00:00Z",
        "request": {"model": "m", "messages": [{"role": "user", "content": "Is 7 prime?"}]},
        "response": {"model": "m", "messages": [{"role": "assistant", "content": "no"}]},
    }
    about = {"type": "feedback", "id": "f", "deployment": "support", "interaction_id": "call"}
    correction = {**about, "kind": "report", "at": "2026-11-21T02:05:00Z", **said}
    log = config.parent / "log.jsonl"
    log.write_text(json.dumps(call) + "\n" + json.dumps(correction) + "\n")
    assert run("ingest", log, "--config", config).code == 0


def test_without_a_correction_it_reports_that_each_waits_for_a_review(config: Path, run: Run) -> None:
    state, sentence = lines_of(run, config, code=1)[CHECK]
    assert state == "ok"
    assert "needs a review before it enters grown" in sentence
    assert "grows" not in lines_of(run, config, code=1)["set grown"][1]


def test_what_waits_and_nothing_accepts_is_a_warning_that_reports_what_to_do(config: Path, run: Run) -> None:
    ingest(run, config, expected="yes")
    state, sentence = lines_of(run, config, code=1)[CHECK]
    assert state == "warn"
    assert sentence.startswith("1 candidate waits for a review; until then grown does not grow")
    assert "`driftd candidates list -d support`" in sentence
    assert "sets.grown.auto_accept" in sentence
    assert run("candidates", "accept", "--all", "--config", config).code == 0
    state, sentence = lines_of(run, config, code=1)[CHECK]
    assert (state, sentence[:18]) == ("ok", "1 accepted so far;")


def test_with_auto_accept_the_corrections_enter_by_themselves(config: Path) -> None:
    settings = load(change(config, sets={"grown": {**GROWN, "auto_accept": True}}), {})
    [line] = check_counts(settings, {"support": CandidateCounts(proposed=3, ready=1)})
    assert line.state is State.OK
    assert "2 have no expectation and need an edit" in line.sentence
