"""The deployed prompt in a complete daemon: announced or observed in traffic, and never one that is not deployed."""

from pathlib import Path
from typing import Any

from replay.targets.prompt import prompt_hash
from tests.app.house import DEPLOYMENT, House, daemon

CASES = 20


def taken_from(source: str) -> Any:
    """Return the targets of the demo with this source of the prompt."""

    def change(targets: dict[str, Any]) -> dict[str, Any]:
        own = {"system_prompt", "prompt"}
        plain = {name: {k: v for k, v in target.items() if k not in own} for name, target in targets.items()}
        return {name: {**target, "prompt_from": source} for name, target in plain.items()}

    return change


def announce(house: House, **told: str) -> None:
    house.api.post("/api/v1/changes", json={"deployment": DEPLOYMENT, **told}).raise_for_status()


def conditions(run: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = run["manifest"]["target"]
    return found


def test_a_replay_sends_the_prompt_that_was_announced(tmp_path: Path) -> None:
    with daemon(tmp_path, targets=taken_from("announced")) as house:
        house.import_primes(CASES)
        failed = house.replay()
        assert (failed["state"], "has no version yet" in failed["error"]) == ("failed", True)
        announce(house, model="gpt-4-0314", prompt_id="primes", prompt_version="1", prompt_text="Answer yes or no.")
        house.app.settle(60.0)
        first = house.replay()
        assert conditions(first)["system_prompt_hash"] == prompt_hash("Answer yes or no.")
        assert (conditions(first)["prompt_id"], conditions(first)["prompt_version"]) == ("primes", "1")
        announce(house, prompt_version="2", prompt_text="Answer with a word.")
        house.app.settle(60.0)
        after = [run for run in house.listed("runs") if run["trigger"] == "change"]
        assert {conditions(run)["system_prompt_hash"] for run in after} == {prompt_hash("Answer with a word.")}
        assert {run["version"] for run in after} != {first["version"]}
        announce(house, prompt_version="3")
        house.app.settle(60.0)
        untold = next(run for run in house.listed("runs") if run["trigger"] == "change")
        assert (untold["state"], "its prompt was not announced" in untold["error"]) == ("failed", True)


def test_a_replay_sends_the_prompt_that_traffic_shows(tmp_path: Path) -> None:
    with daemon(tmp_path, targets=taken_from("observed")) as house:
        house.import_primes(CASES)
        calls = [
            {
                "id": f"i-{n}",
                "deployment": DEPLOYMENT,
                "started_at": f"2026-03-01T11:{n:02d}:00Z",
                "request": {
                    "model": "gpt-4",
                    "messages": [
                        {"role": "system", "content": "Think first."},
                        {"role": "user", "content": f"question {n}"},
                    ],
                },
                "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "[Yes]"}]},
            }
            for n in range(30)
        ]
        house.api.post("/api/v1/interactions", json=calls).raise_for_status()
        house.app.settle(60.0)
        run = house.replay()
        assert run["state"] == "complete", run["error"]
        assert conditions(run)["system_prompt_hash"] == prompt_hash("Think first.")
        assert conditions(run)["prompt_from"] == "observed"
        [version] = house.listed("versions")
        assert run["version"] == version["id"]
