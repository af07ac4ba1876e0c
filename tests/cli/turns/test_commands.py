"""`driftd turns` on a database file: from a log of conversations to a reviewed rate."""

import json
import os
import pty
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.house import running_model, write_house
from tests.cli.result import Result
from tests.ports import free_port

Drive = Callable[..., Result]
ANSWER = "The capital of Australia is Sydney."
TURNS = {
    "rejected": "No, that is wrong. The capital of Australia is Canberra.",
    "again": "That's not correct, it is Canberra.",
    "thanked": "Great, thank you!",
    "hostile": "Thanks \x1b[2J a lot",
}


def call(name: str, minutes: int, *messages: str) -> dict[str, object]:
    at = datetime.now(UTC) - timedelta(hours=2) + timedelta(minutes=minutes)
    said = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(messages)]
    return {
        "type": "interaction",
        "id": name,
        "deployment": "support",
        "conversation_id": name.removesuffix("-turn"),
        "started_at": at.isoformat(),
        "request": {"model": "gpt-4", "messages": said[:-1]},
        "response": {"model": "gpt-4-0314", "messages": said[-1:]},
    }


@pytest.fixture
def drive(run: Run, tmp_path: Path) -> Iterator[Drive]:
    """Commands on a file with four conversations of two turns."""
    question = "What is the capital of Australia?"
    with running_model() as model:
        config = write_house(tmp_path, model_url=model.url, api_port=free_port())
        lines = [call(name, 0, question, ANSWER) for name in TURNS]
        lines += [call(f"{name}-turn", 1, question, ANSWER, text, "I see.") for name, text in TURNS.items()]
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        read = run("ingest", log, "--config", config)
        assert read.code == 0, read.err
        yield lambda *arguments: run(*arguments, "--config", config)


def ids(drive: Drive, *options: str) -> dict[str, str]:
    """Return the ids by call."""
    items = drive("turns", "list", "--json", *options).document["items"]
    return {item["interaction_id"].removesuffix("-turn"): item["id"] for item in items}


def test_turns_are_listed_with_their_verdicts_and_without_control_characters(drive: Drive) -> None:
    assert set(ids(drive)) == set(TURNS)
    assert set(ids(drive, "--flagged")) == {"rejected", "again"}
    assert set(ids(drive, "--not-flagged")) == {"thanked", "hostile"}
    listed = drive("turns", "list")
    assert (listed.code, "\x1b" in listed.out, "Great, thank you!" in listed.out) == (0, False, True)
    assert "no matching turn" in drive("turns", "list", "--reviewed").out


def test_a_turn_is_shown_with_its_conversation_and_the_answer_that_it_is_about(drive: Drive) -> None:
    shown = drive("turns", "show", ids(drive)["rejected"])
    for part in (ANSWER, TURNS["rejected"], "evidence", "answer      rejected", "flagged     yes"):
        assert part in shown.out


def test_a_review_is_stored_and_shown(drive: Drive) -> None:
    turn = ids(drive)["thanked"]
    reviewed = drive("turns", "review", turn, "--no-correction", "--code", "ack", "--json").document
    assert (reviewed["review"]["corrects"], reviewed["review"]["code"], reviewed["review"]["sampled"]) == (
        False,
        "ack",
        False,
    )
    assert set(ids(drive, "--reviewed")) == {"thanked"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("review", "turn-x"), "--corrects or --no-correction"),
        (("review",), "--deployment"),
        (("review", "turn-x", "--corrects"), "'turn-x' is unknown"),
        (("review", "--deployment", "support"), "needs a terminal"),
        (("sample", "--deployment", "other"), "'other' is unknown"),
        (("rate", "--deployment", "other"), "'other' is unknown"),
        (("show", "turn-x"), "'turn-x' is unknown"),
    ],
)
def test_wrong_use_is_refused_with_the_reason_and_exit_code_two(
    drive: Drive, arguments: tuple[str, ...], words: str
) -> None:
    refused = drive("turns", *arguments)
    assert refused.code == 2
    assert words in refused.err


def test_the_sample_is_reviewed_turn_by_turn_in_a_terminal(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard, terminal = pty.openpty()
    os.write(keyboard, b"what?\ny\ns\nn\nq\n")
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        done = drive("turns", "review", "--deployment", "support")
    os.close(keyboard)
    assert done.code == 0, done.err
    assert "reviewed 2 turns; 68 more are needed for a corrected rate" in done.out
    assert "score" not in done.out, "the verdict would influence the reviewer"
    assert "\x1b" not in done.out
    items = drive("turns", "list", "--reviewed", "--json").document["items"]
    assert sorted(item["review"]["corrects"] for item in items) == [False, True]
    assert all(item["review"]["sampled"] for item in items)


def test_the_rate_names_the_reviews_that_are_missing(drive: Drive) -> None:
    [rate] = drive("turns", "rate", "--deployment", "support", "--by", "version", "--json").document["items"]
    assert (rate["interactions"], rate["explicit"], rate["turns"], rate["flagged"]) == (8, 0, 4, 2)
    assert "uncorrected: 0 reviews, 70 more are needed" in drive("turns", "rate", "--deployment", "support").out


def test_reviewed_turns_are_exported_as_labelled_conversations(drive: Drive, tmp_path: Path) -> None:
    drive("turns", "review", ids(drive)["rejected"], "--corrects", "--code", "correct_with_fix")
    out = tmp_path / "reviewed.jsonl"
    assert drive("turns", "export", "--out", out).code == 0
    [record] = [json.loads(line) for line in out.read_text().splitlines()]
    assert (record["label"], record["category"], record["target"], record["links_to"]) == (
        1,
        "correct_with_fix",
        2,
        1,
    )
    assert record["turns"][2] == {"role": "user", "text": TURNS["rejected"]}
    assert out.stat().st_mode & 0o077 == 0
    again = drive("turns", "export", "--out", out)
    assert (again.code, "exists" in again.err) == (2, True)
