"""`driftd interactions` on a database file."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.house import running_model, write_house
from tests.cli.result import Result
from tests.ports import free_port

Drive = Callable[..., Result]


def call(name: str, minutes: int, question: str) -> dict[str, object]:
    return {
        "type": "interaction",
        "id": name,
        "deployment": "support",
        "conversation_id": "talk",
        "started_at": (datetime.now(UTC) - timedelta(hours=2) + timedelta(minutes=minutes)).isoformat(),
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": question}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "On \x1b[2J Monday."}]},
    }


@pytest.fixture
def drive(run: Run, tmp_path: Path) -> Iterator[Drive]:
    with running_model() as model:
        config = write_house(tmp_path, model_url=model.url, api_port=free_port())
        log = tmp_path / "log.jsonl"
        lines = [call("parcel", 0, "Where is my PARCEL?"), call("kettle", 1, "Is the kettle back?")]
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        read = run("ingest", log, "--config", config)
        assert read.code == 0, read.err
        yield lambda *arguments: run(*arguments, "--config", config)


def test_a_search_prints_the_matching_calls_newest_first(drive: Drive) -> None:
    everything = drive("interactions", "search", "--json").document
    assert [item["id"] for item in everything["items"]] == ["kettle", "parcel"]
    found = drive("interactions", "search", "--text", "parcel", "--status", "ok", "--no-feedback")
    assert "Where is my PARCEL?" in found.out
    assert "kettle" not in found.out
    assert "no matching call" in drive("interactions", "search", "--corrected").out


def test_a_cursor_continues_a_search(drive: Drive) -> None:
    first = drive("interactions", "search", "--limit", "1")
    assert "searched back to" in first.out
    cursor = first.out.split("--cursor ")[1].strip()
    assert "Where is my PARCEL?" in drive("interactions", "search", "--cursor", cursor).out


def test_a_call_is_shown_with_its_messages_and_conversation(drive: Drive) -> None:
    shown = drive("interactions", "show", "parcel")
    assert "Where is my PARCEL?" in shown.out
    assert "\x1b" not in shown.out
    assert "no feedback" in shown.out
    assert "Is the kettle back?" in shown.out
    missing = drive("interactions", "show", "gone")
    assert missing.code != 0
    assert "interaction 'gone' is unknown" in missing.err
