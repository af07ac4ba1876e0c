"""`driftd candidates` on a database file, and its requests to the daemon."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.house import running_model, write_house
from tests.cli.result import Result
from tests.ports import free_port

Drive = Callable[..., Result]
CORRECTIONS: dict[str, tuple[str, str, dict[str, object]]] = {
    "kettle": ("Can I send the kettle back?", "[No]", {"kind": "edit", "value": "[Yes]"}),
    "toaster": ("Is my toaster under warranty?", "[No]", {"kind": "thumb", "value": -1, "comment": "two years!"}),
    "pan": ("Do you pay for my burnt hand?", "[Yes]", {"kind": "report", "expected": "[No]"}),
}


@pytest.fixture
def drive(run: Run, tmp_path: Path) -> Iterator[Drive]:
    """Commands on a file with three corrected calls."""
    with running_model() as model:
        config = write_house(tmp_path, model_url=model.url, api_port=free_port())
        lines: list[dict[str, object]] = []
        for name, (question, answer, said) in CORRECTIONS.items():
            call = {"type": "interaction", "id": name, "deployment": "support", "started_at": "2026-11-21T02:00:00Z"}
            asked = {"model": "gpt-4", "messages": [{"role": "user", "content": question}]}
            answered = {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": answer}]}
            lines.append({**call, "request": asked, "response": answered})
            about = {"deployment": "support", "interaction_id": name, "at": "2026-11-21T02:05:00Z"}
            lines.append({"type": "feedback", "id": f"f-{name}", **about, **said})
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        read = run("ingest", log, "--config", config)
        assert read.code == 0, read.err
        yield lambda *arguments: run(*arguments, "--config", config)


def ids(drive: Drive, *options: str) -> dict[str, str]:
    """Return the ids by question."""
    items = drive("candidates", "list", "--json", *options).document["items"]
    return {item["interaction_id"]: item["id"] for item in items}


def test_what_waits_is_listed_and_shown_with_what_the_user_said(drive: Drive) -> None:
    listed = drive("candidates", "list")
    assert listed.code == 0
    assert "(needs an edit)" in listed.out
    found = ids(drive)
    assert set(found) == set(CORRECTIONS)
    assert set(ids(drive, "--not-ready")) == {"toaster"}
    assert "wrong_fact (the user gives another value; confidence 0.60)" in drive("candidates", "show", found["pan"]).out
    shown = drive("candidates", "show", found["toaster"])
    for part in ("Is my toaster under warranty?", "two years!", "[No]", "edit it (--expected"):
        assert part in shown.out


def test_candidates_are_accepted_and_rejected_by_id(drive: Drive) -> None:
    found = ids(drive)
    accepted = drive("candidates", "accept", found["kettle"], found["toaster"], "--as", "ann")
    assert accepted.code == 1, "one of them does not say what is right"
    assert "1 accepted" in accepted.out
    assert "edit it first" in accepted.out
    assert drive("candidates", "reject", found["pan"], "--reason", "a joke").code == 0
    assert set(ids(drive)) == {"toaster"}
    shown = drive("candidates", "show", found["kettle"], "--json").document
    assert (shown["state"], shown["decisions"][0]["action"]) == ("accepted", "accept")
    assert "ann" in shown["decided_by"]


def test_an_edit_makes_a_candidate_acceptable_and_is_in_the_log(drive: Drive) -> None:
    toaster = ids(drive)["toaster"]
    done = drive(
        "candidates", "edit", toaster, "--must-include", "two years", "--must-include", "repair",
        "--severity", "high", "--accept", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert (done.document["state"], done.document["must_include"]) == ("accepted", ["two years", "repair"])
    assert done.document["severity"] == "high"
    nothing = drive("candidates", "edit", toaster)
    assert nothing.code == 2
    assert "nothing to edit" in nothing.err


def test_a_decision_is_changed_with_override_alone(drive: Drive) -> None:
    pan = ids(drive)["pan"]
    drive("candidates", "reject", pan)
    refused = drive("candidates", "accept", pan)
    assert refused.code == 1
    assert "is rejected by" in refused.out
    assert drive("candidates", "accept", pan, "--override").code == 0
    assert drive("candidates", "accept", pan).code == 0, "it is so already"


def test_a_selection_is_tried_dry_and_then_accepted(drive: Drive) -> None:
    dry = drive("candidates", "accept", "--deployment", "support", "--dry-run", "--json").document
    assert (dry["accepted"], len(dry["refused"])) == (2, 1)
    assert len(ids(drive)) == 3
    assert drive("candidates", "accept", "--all").code == 1
    assert set(ids(drive)) == {"toaster"}
    for arguments in (("accept",), ("reject", "x", "--all"), ("accept", "--all", "--override")):
        assert drive("candidates", *arguments).code == 2


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_file_goes_out_comes_back_filled_in_and_is_done(drive: Drive, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"review.{suffix}"
    out = drive("candidates", "list", "--out", file)
    assert out.code == 0
    assert oct(file.stat().st_mode)[-3:] == "600"
    empty = drive("candidates", "decide", file)
    assert empty.code == 2
    assert "no row has an action" in empty.err
    fill(file)
    assert drive("candidates", "decide", file, "--dry-run").code == 0
    done = drive("candidates", "decide", file, "--json")
    assert done.code == 0, done.out + done.err
    assert (done.document["accepted"], done.document["rejected"]) == (2, 1)
    [toaster] = [
        item for item in drive("candidates", "list", "--state", "accepted", "--json").document["items"]
        if item["interaction_id"] == "toaster"
    ]  # fmt: skip
    assert toaster["must_include"] == ["two years", "[Yes]"]
    again = drive("candidates", "decide", file, "--json")
    assert (again.code, again.document["unchanged"]) == (0, 3)


def fill(file: Path) -> None:
    """Fill in the file like a reviewer: accept the complete ones, edit one, reject one."""
    if file.suffix == ".csv":
        rows = list(csv.DictReader(io.StringIO(file.read_text(), newline="")))
    else:
        rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        row["action"] = "Reject" if "burnt" in row["input"] else "accept"
        if "toaster" in row["input"]:
            phrases = ["two years", "[Yes]"]
            row["must_include"] = "\n".join(phrases) if file.suffix == ".csv" else phrases
    if file.suffix == ".csv":
        with file.open("w", encoding="utf-8-sig", newline="") as opened:
            writer = csv.DictWriter(opened, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    else:
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "id,action,colour\nx,accept,red\n", "line 1: 'colour' is unknown; known: "),
        ("a.csv", "action\naccept\n", "line 1: 'id' is missing"),
        ("a.csv", "id,action\nx,burn\n", "line 2: action: "),
        ("a.csv", "id,action\nx,accept,3\n", "line 2: more cells than columns"),
        ("a.jsonl", '{"id": "x", "action": "accept"}\n{"id": \n', "line 2: invalid JSON"),
        ("a.jsonl", "[]\n", "line 1: expected an object"),
        ("a.jsonl", '{"id": "x", "action": "edit", "severity": "awful"}\n', "line 1: severity: "),
        ("a.txt", "x", "must end in .csv or .jsonl"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported_with_its_line(
    drive: Drive, tmp_path: Path, name: str, text: str, words: str
) -> None:
    (tmp_path / name).write_text(text)
    refused = drive("candidates", "decide", tmp_path / name)
    assert refused.code == 2
    assert words in refused.err
