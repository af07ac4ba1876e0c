"""The health of a set in a real daemon: replays of two real versions, and production with other questions."""

import json
from pathlib import Path

import pytest

from monitor.cli.main import main
from tests.app.house import DEPLOYMENT, FROZEN, SETTLE_S, House, daemon

CASES = 60


def send(house: House, count: int, text: str, category: str) -> None:
    """Send production calls as an application does."""
    started = house.clock.now().isoformat()
    records = [
        {
            "id": f"{category}-{n}",
            "deployment": DEPLOYMENT,
            "started_at": started,
            "request": {"model": "gpt-4", "messages": [{"role": "user", "content": text.format(n)}]},
            "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "[Yes]"}]},
            "attributes": {"driftd.category": category},
        }
        for n in range(count)
    ]
    house.api.post("/api/v1/interactions", json=records).raise_for_status()
    house.app.settle(SETTLE_S)


def test_two_real_versions_and_other_questions_are_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with daemon(tmp_path) as house:
        house.import_primes(CASES)
        before = house.replay()
        house.serve("gpt-4-0613")
        after = house.replay()
        send(house, 60, "Where is my parcel number {}, and when will it be here?", "shipping")
        send(house, 40, "Is {}7 a prime number? Think step by step and then answer [Yes] or [No].", "prime")
        found = house.api.get("/api/v1/sets/health", params={"set_name": FROZEN}).raise_for_status()
        with pytest.raises(SystemExit) as left:
            main(["sets", "health", FROZEN, "--items", "--url", str(house.api.base_url)])
        rates = {
            run["version"]: [o["scores"][0]["value"] for o in house.listed("outcomes", run_id=run["id"])]
            for run in (before, after)
        }
    health = json.loads(found.text)
    first, second = rates.values()
    same = sum(a == b for a, b in zip(first, second, strict=True))
    assert health["runs"] >= 2  # the change was replayed at once as well
    assert (health["saturation"]["versions"], health["cases"]) == (2, CASES)
    assert health["saturation"]["share"] == pytest.approx(same / CASES)
    assert health["staleness"]["calls"] == 100
    assert health["staleness"]["uncovered"] > 0.4
    assert health["staleness"]["uncovered_categories"] == {"shipping": 0.6}
    coverage = {one["category"]: (one["calls"], one["cases"]) for one in health["staleness"]["categories"]}
    assert coverage == {"shipping": (60, 0), "prime": (40, CASES)}
    assert health["redundancy"]["redundant"] == 0
    assert (
        health["exposure"]["max_exposure"] == health["runs"] + 1
    )  # the replay after the change repeats a tenth of the cases
    assert health["overfitting"]["trend"] == "no data"
    assert "60% of production has the category 'shipping', but no case has it" in health["concerns"]
    assert len(health["items"]) == CASES
    assert left.value.code == 1
    out = capsys.readouterr().out
    assert "never separated 2 versions" in out
    assert ["shipping", "60.0", "%", "0.0", "%", "60", "0"] in [line.split() for line in out.splitlines()]
    assert all(question.question not in out + found.text for question in house.data.questions[:CASES])


def test_a_set_that_was_never_replayed_is_reported_so(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        house.import_primes(5)
        health = house.api.get("/api/v1/sets/health", params={"set_name": FROZEN, "deployment": DEPLOYMENT}).json()
        unknown = house.api.get("/api/v1/sets/health", params={"set_name": FROZEN, "deployment": "other"})
        nothing = house.api.get("/api/v1/sets/health", params={"set_name": "nothing"})
    assert (health["runs"], health["saturation"]["share"], health["concerns"]) == (0, None, [])
    assert health["label_noise"] == {
        "failed_by_better_versions": None,
        "expected": None,
        "never_passed": None,
        "unstable": None,
    }
    assert (unknown.status_code, nothing.status_code) == (404, 404)


def test_the_command_lists_every_set_and_the_days_of_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    with daemon(tmp_path) as house:
        house.import_primes(5)
        house.app.settle(SETTLE_S)
        today = house.clock.now().date().isoformat()
        for asked in ([], [FROZEN, "--over-time"]):
            with pytest.raises(SystemExit) as left:
                main(["sets", "health", *asked, "--url", str(house.api.base_url)])
            assert left.value.code == 0
            printed.append(capsys.readouterr().out.splitlines())
    [head, *rows] = printed[0]
    assert head.split("  ")[0] == "set"
    [row] = [cells for line in rows if (cells := line.split())[:2] == [FROZEN, "frozen"]]
    assert row[2:5] == ["ok", "-", "5"]  # no run yet, so no newest result
    assert printed[1][-1].split()[:4] == [today, "5", "0", "0"]  # cases, runs, concerns
