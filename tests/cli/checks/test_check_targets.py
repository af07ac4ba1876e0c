"""`driftd check` on every kind of target: a request without cost, and a real one with --call-targets."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from monitor.cli.checks.targets import QUESTION, check_target
from monitor.config.load import from_mapping
from replay.recorded.endpoint import RecordedEndpoint
from tests.replay.recorded.builders import question, recorded
from tests.replay.targets.test_contract import PROGRAM

BODY = '{"question": {{ question | tojson }}}'


@pytest.fixture
def endpoint() -> Iterator[RecordedEndpoint]:
    running = RecordedEndpoint(recorded(question(1)), model="gpt-4")
    running.start()
    yield running
    running.stop()


def kinds(address: str, folder: Path) -> dict[str, dict[str, Any]]:
    (folder / "answer.py").write_text(PROGRAM)
    model = {"base_url": f"{address}/v1", "model": "gpt-4"}
    return {
        "openai": {"kind": "openai", **model},
        "anthropic": {"kind": "anthropic", **model},
        "http": {"kind": "http", "url": f"{address}/ask", "body": BODY},
        "command": {"kind": "command", "command": [sys.executable, "answer.py", "well"]},
    }


def check(target: dict[str, Any], folder: Path, *, ask: bool) -> tuple[str, str]:
    config = from_mapping({"targets": {"m": target}}, env={}, folder=folder, where="driftd.yaml")
    line = check_target("m", config.targets["m"], ask=ask)
    return line.state.value, line.sentence


@pytest.mark.parametrize("kind", ["openai", "anthropic", "http", "command"])
def test_what_is_there_is_seen_without_asking(kind: str, endpoint: RecordedEndpoint, tmp_path: Path) -> None:
    state, sentence = check(kinds(endpoint.address, tmp_path)[kind], tmp_path, ask=False)
    assert state == "ok"
    assert "lists gpt-4" in sentence or "is reachable; --call-targets tests its answers" in sentence
    assert httpx.get(f"{endpoint.address}/_calls").json()["total"] == 0


@pytest.mark.parametrize("kind", ["openai", "anthropic", "http", "command"])
def test_call_targets_requests_an_answer(kind: str, endpoint: RecordedEndpoint, tmp_path: Path) -> None:
    target = {**kinds(endpoint.address, tmp_path)[kind], "template": "For {{ shop }}."}
    state, sentence = check(target, tmp_path, ask=True)
    assert (state, " answers" in sentence) == ("ok", True)
    assert ("this question has no recorded answer" in sentence) == (kind != "command")
    assert QUESTION.id == "driftd-check"


@pytest.mark.parametrize(
    ("kind", "hint"), [("openai", "check base_url"), ("anthropic", "check base_url"), ("http", "check url")]
)
def test_what_is_not_there_fails_and_names_where_to_look(kind: str, hint: str, tmp_path: Path) -> None:
    state, sentence = check(kinds("http://127.0.0.1:9", tmp_path)[kind], tmp_path, ask=False)
    assert (state, hint in sentence) == ("fail", True)


@pytest.mark.parametrize("ask", [False, True])
@pytest.mark.parametrize("there", [False, True])
def test_a_secret_in_an_address_is_not_shown(
    endpoint: RecordedEndpoint, tmp_path: Path, *, there: bool, ask: bool
) -> None:
    address = endpoint.address if there else "http://127.0.0.1:9"
    for target in (
        {"kind": "openai", "base_url": f"{address}/v1?key=sk-secret-1", "model": "gpt-4"},
        {"kind": "http", "url": f"{address}/ask?key=sk-secret-1", "body": BODY},
    ):
        _, sentence = check(target, tmp_path, ask=ask)
        assert "?key=***" in sentence
        assert "sk-secret-1" not in sentence


def test_a_program_that_is_not_there_fails(tmp_path: Path) -> None:
    state, sentence = check({"kind": "command", "command": ["no-such-program"]}, tmp_path, ask=False)
    assert state == "fail"
    assert "there is no program 'no-such-program' to run; check command" in sentence
