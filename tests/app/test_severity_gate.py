"""The severity gate in the whole daemon: the configured scorer, two real models, the API and the alert."""

from pathlib import Path
from typing import Any

from monitor.cli.demo.story import as_case
from tests.app.house import FROZEN, SETTLE_S, daemon

CRITICAL = 3


def with_must(sets: dict[str, Any]) -> dict[str, Any]:
    return {name: section | {"scorers": [{"kind": "must"}]} for name, section in sets.items()}


def test_a_critical_case_that_a_new_model_answers_with_forbidden_text_alerts_and_resolves(tmp_path: Path) -> None:
    with daemon(tmp_path, sets=with_must) as house:
        house.serve("gpt-4-0314")
        primes = [as_case(question) for question in house.data.questions if question.category == "prime"][:12]
        cases = [
            case | {"must_not": ["[No]"], "severity": "critical" if number < CRITICAL else "low"}
            for number, case in enumerate(primes)
        ]
        house.api.post("/api/v1/sets", json={"name": FROZEN, "cases": cases}).raise_for_status()
        clean = house.replay()
        assert clean["outcomes"] == len(cases)
        house.serve("gpt-4-0613")
        run = house.replay()
        gate = next(one for one in house.listed("findings") if one["signal"] == "severity_gate")
        assert (gate["verdict"], gate["candidate_run"], gate["baseline_run"]) == ("regression", run["id"], clean["id"])
        failing = {one["case_id"] for one in gate["severity_gate"]["cases"]}
        assert failing <= {case["id"] for case in cases[:CRITICAL]}
        assert failing
        assert run["outcomes"] == len(cases) + len(failing)
        assert all(one["violations"] == one["samples"] == 2 for one in gate["severity_gate"]["cases"])
        assert run["verdict"] == "regression"
        (alert,) = [one for one in house.listed("alerts") if one["rule"] == "SeverityGate"]
        assert (alert["state"], alert["severity"], alert["set_name"]) == ("firing", "critical", FROZEN)
        house.serve("gpt-4-0314")
        house.replay()
        house.app.settle(SETTLE_S)
        (alert,) = [one for one in house.listed("alerts") if one["rule"] == "SeverityGate"]
        assert alert["state"] == "resolved"
