"""Findings explained and accepted, with the real application in this process."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.house import Model, running_model, write_house
from tests.cli.result import Result
from tests.ports import free_port

Drive = Callable[..., Result]


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as found:
        yield found


@pytest.fixture
def house(run: Run, model: Model, tmp_path: Path) -> Drive:
    config = write_house(tmp_path, model_url=model.url, api_port=free_port())

    def drive(*arguments: object) -> Result:
        return run(*arguments, "--config", config)

    assert drive("sets", "import", "primes", tmp_path / "primes.jsonl").code == 0
    for _ in range(2):
        assert drive("replay", "run", "support", "primes").code == 0
    return drive


def fall(house: Drive, model: Model) -> str:
    """Replay a worse model and return the id of the finding."""
    model.name, model.answer = "gpt-4-0613", "no"
    house("replay", "run", "support", "primes")
    found = house("drift", "list", "--json").document["items"][0]
    assert found["verdict"] == "regression"
    return str(found["id"])


def refuse(house: Drive) -> None:
    """Check the messages of commands that are impossible without a finding."""
    quiet = house("drift", "list", "--json").document["items"][0]
    nothing = house("drift", "accept", quiet["id"], "--reason", "x")
    assert (nothing.code, "there is nothing to accept" in nothing.err) == (2, True)
    assert "no accepted baseline" in house("drift", "baselines").out
    still = house("plan", "--effect", 2, "--deployment", "support", "--set", "primes")  # no case ever flipped
    assert (still.code, "give --within-variance" in still.err) == (2, True)


def test_a_finding_is_explained_and_accepted_and_the_nights_count_again(house: Drive, model: Model) -> None:
    refuse(house)
    finding = fall(house, model)
    told = house("drift", "explain", finding)
    assert told.code == 0
    for step in (
        "judged",
        "baseline",
        "nights",
        "test",
        "channels",
        "onset",
        "change",
        "what differs",
        "re-judge stored baseline outputs",
        "replay the old model on the new prompt",
        "cause",
        "noise",
        "not tested",
        "verdict",
    ):
        assert f". {step}: " in told.out, step
    assert "2 nights" in told.out
    assert "40 of 40 cases are in earlier nights" in told.out
    assert "served model: gpt-4-0314 to gpt-4-0613" in told.out
    assert "not run: it " in told.out
    document = house("drift", "explain", finding, "--json").document
    assert document["finding"]["evidence"]["trigger"] == "version"
    assert [step["step"] for step in document["steps"]][:2] == ["judged", "baseline"]
    assert "1. judged: run" in house("drift", "show", finding).out

    accepted = house("drift", "accept", finding, "--reason", "the cheaper model is fine", "--json")
    assert accepted.code == 0
    assert accepted.document["run_id"] == document["finding"]["candidate_run"]
    assert [alert["state"] for alert in house("alerts", "list", "--json").document["items"]] == ["resolved"]
    again = house("drift", "accept", finding, "--reason", "repeated", "--json")
    assert again.document == accepted.document

    (listed,) = house("drift", "baselines", "--json").document["items"]
    assert listed["reason"] == "the cheaper model is fine"
    assert "the cheaper model is fine" in house("drift", "baselines").out
    assert house("compare", listed["old_last_run"], listed["run_id"]).code == 1

    house("replay", "run", "support", "primes")
    newest = house("drift", "list", "--json").document["items"][0]
    assert newest["verdict"] == "ok"
    assert newest["evidence"]["nights"] == 2


def test_a_run_is_pinned_listed_explained_and_taken_away(house: Drive) -> None:
    golden = house("replay", "list", "--json").document["items"][0]["id"]
    pinned = house("drift", "pin", golden, "--reason", "the launch")
    assert (pinned.code, f"is compared with runs {pinned_first(house)} to {golden}" in pinned.out) == (0, True)
    house("replay", "run", "support", "primes")
    newest = house("drift", "list", "--json").document["items"][0]
    assert newest["evidence"]["pinned_run"]["run_id"] == golden
    assert (newest["evidence"]["pinned_run"]["status"], newest["evidence"]["pinned_run"]["delta"]) == ("waiting", 0.0)
    told = house("drift", "explain", newest["id"])
    assert f"pinned run: 2 nights up to run {golden} are pinned. The first week after it is not complete" in told.out
    listed = house("drift", "baselines")
    assert ("no accepted baseline" in listed.out, "the launch" in listed.out) == (True, True)
    ended = house("drift", "unpin", "support", "primes", "--json")
    assert (ended.document["run_id"], ended.document["ended_at"] is None) == (golden, False)
    assert house("drift", "unpin", "support", "primes").code == 2
    house("replay", "run", "support", "primes")
    assert house("drift", "list", "--json").document["items"][0]["evidence"]["pinned_run"] is None


def pinned_first(house: Drive) -> str:
    return str(house("drift", "baselines", "--json").document["pins"][0]["first_run"])


def test_stored_nights_are_written_as_the_input_of_a_backtest(house: Drive, model: Model, tmp_path: Path) -> None:
    fall(house, model)
    kept = tmp_path / "nights.jsonl"
    assert house("backtest", "--from-store", "support", "--set", "primes", "--write", kept).code == 0
    (line,) = [json.loads(text) for text in kept.read_text().splitlines()]
    assert (line["id"], len(line["nights"]), len(line["cases"])) == ("support/primes", 3, 40)
    assert len({night["version"] for night in line["nights"]}) == 2
    from_file, from_store = house("backtest", kept), house("backtest", "--from-store", "support")
    assert (from_file.code, from_store.code) == (0, 0)
    assert from_file.out == from_store.out
    unknown = house("backtest", "--from-store", "nothing")
    assert (unknown.code, "deployment" in unknown.err) == (2, True)
