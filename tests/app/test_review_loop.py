"""The complete loop: calls and corrections arrive, a reviewer accepts, and the next night replays them."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.api.schema import DeploymentItem, ListPage
from monitor.cli.checks.candidates import check_at_daemon
from monitor.cli.checks.line import State
from monitor.cli.connection.client import over_http
from monitor.config.load import load
from tests.app.house import DEPLOYMENT, SETTLE_S, SYSTEM_PROMPT, House, daemon
from tests.cli.conftest import Run, run  # noqa: F401  a fixture

DYNAMIC = "primes-corrected"
BEFORE = [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Good day. Which number?"}]


def reviewed(sets: dict[str, Any]) -> dict[str, Any]:
    return {**sets, DYNAMIC: {**sets[DYNAMIC], "auto_accept": False}}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with daemon(tmp_path, sets=reviewed) as opened:
        yield opened


def correct(house: House, number: int, expected: str) -> None:
    """Send a conversation with a wrong answer to a recorded question, and the correction."""
    question = house.data.questions[number]
    call = {
        "id": f"call-{number}",
        "deployment": DEPLOYMENT,
        "started_at": "2026-03-01T11:00:00Z",
        "user_id": f"user-{number}",
        "request": {
            "model": "gpt-4",
            "messages": [
                {"role": "system", "content": SYSTEM_PROMPT},
                *BEFORE,
                {"role": "user", "content": question.question},
            ],
        },
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "[Maybe]"}]},
    }
    said = {
        "deployment": DEPLOYMENT,
        "interaction_id": f"call-{number}",
        "kind": "edit",
        "at": "2026-03-01T11:05:00Z",
        "value": expected,
        "failure_category": "no_verdict",
    }
    house.api.post("/api/v1/interactions", json=call).raise_for_status()
    house.api.post("/api/v1/feedback", json=said).raise_for_status()
    house.app.settle(SETTLE_S)


def pass_a_night(house: House) -> None:
    house.clock.advance_to(house.clock.now() + timedelta(days=1))
    house.app.wake_schedule()
    house.app.settle(SETTLE_S)


def test_what_a_person_accepts_is_replayed_the_next_night(house: House, run: Run) -> None:  # noqa: F811
    at = ("--url", house.app.addresses["api"])
    reference = house.data.questions[0].reference
    correct(house, 0, reference)
    correct(house, 1, "[Yes], because it has no divisor")
    pass_a_night(house)
    assert house.listed("sets") == [], "nothing was accepted"
    with over_http(house.app.addresses["api"], {}) as api:
        [line] = check_at_daemon(load(house.folder / "driftd.yaml", {}), api)
    assert (line.state, line.check) == (State.WARN, f"corrections {DEPLOYMENT}")
    assert "2 candidates wait for a review" in line.sentence

    waiting = {item["interaction_id"]: item for item in run("candidates", "list", *at, "--json").document["items"]}
    right, prose = waiting["call-0"]["id"], waiting["call-1"]["id"]
    accepted = run("candidates", "accept", right, prose, *at, "--reason", "checked")
    assert accepted.code == 1
    assert "not one of the choices" in accepted.out, "the set's scorer could not judge the other"
    shown = run("candidates", "show", right, *at, "--json").document
    assert (shown["state"], shown["bad_output"], shown["failure_category"]) == ("accepted", "[Maybe]", "no_verdict")
    assert (shown["system_prompt"], shown["turns"]) == (SYSTEM_PROMPT, 3)
    assert run("candidates", "edit", prose, "--expected", "Yes", "--severity", "high", "--accept", *at).code == 0

    pass_a_night(house)
    [current] = house.listed("sets")
    assert (current["name"], current["cases"]) == (DYNAMIC, 2)
    cases = {case["severity"]: case for case in house.listed("cases", set_name=DYNAMIC)}
    assert [message["content"] for message in cases["medium"]["input"]][:2] == ["Hello!", "Good day. Which number?"]
    assert (cases["medium"]["references"], cases["high"]["references"]) == ([reference], ["Yes"])
    [night] = house.listed("runs")
    assert (night["set_name"], night["trigger"], night["state"], night["scored"]) == (
        DYNAMIC, "scheduled", "complete", 2,
    )  # fmt: skip

    out = run("candidates", "reject", right, *at, "--override", "--reason", "the question was a joke")
    assert out.code == 0, out.out
    pass_a_night(house)
    assert house.listed("sets")[0]["cases"] == 1
    log = house.listed("candidates/decisions")
    assert [entry["action"] for entry in log] == ["reject", "accept", "accept"]
    assert all(entry["who"] for entry in log)


def test_an_erased_user_leaves_the_review_and_its_log_too(house: House, run: Run) -> None:  # noqa: F811
    at = ("--url", house.app.addresses["api"])
    correct(house, 0, "Yes")
    [item] = house.listed("candidates")
    run("candidates", "edit", item["id"], "--expected", "No", "--reason", "user-0 is wrong", "--accept", *at)
    pass_a_night(house)
    house.api.post("/api/v1/compactions", json={"erase_user": "user-0"}).raise_for_status()
    house.app.settle(SETTLE_S)
    for name in ("candidates", "candidates/decisions", "sets", "interactions", "feedback"):
        assert house.listed(name) == [], name
    counted = house.api.get("/api/v1/deployments").content
    [deployment] = ListPage[DeploymentItem].model_validate_json(counted).items
    assert deployment.candidates.accepted == 0
    assert "user-0" not in json.dumps(house.listed("compactions"))
