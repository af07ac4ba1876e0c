"""A set with personal data is never sent to a target that is not cleared for it."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from monitor.cli.demo.settings import DYNAMIC
from tests.app.house import DEPLOYMENT, FROZEN, SETTLE_S, House, daemon
from tests.cli.conftest import Run, run  # noqa: F401  a fixture


def sets(labels: list[str]) -> dict[str, Any]:
    return {
        FROZEN: {"kind": "frozen", "key_file": "primes.key", "labels": labels, "scorers": [{"kind": "contains"}]},
        DYNAMIC: {"kind": "dynamic", "scorers": [{"kind": "contains"}]},
    }


def ask(house: House) -> httpx.Response:
    return house.api.post("/api/v1/runs", json={"deployment": DEPLOYMENT, "set_name": FROZEN})


def test_a_run_that_a_person_asks_for_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with daemon(tmp_path, sets=sets(["pii"])) as house:
        house.import_primes(5)
        answer = ask(house)
        calls = house.calls()
    assert (answer.status_code, calls) == (409, 0)
    assert "is labelled pii" in answer.json()["detail"]
    assert "targets.gpt-4.cleared_for" in answer.json()["detail"]


def test_a_scheduled_run_fails_with_the_reason_and_sends_nothing(tmp_path: Path) -> None:
    with daemon(tmp_path, sets=sets(["confidential", "public"])) as house:
        house.import_primes(5)
        house.clock.advance_to(house.clock.now() + timedelta(days=1))
        house.app.settle(SETTLE_S)
        planned = house.listed("runs")
        calls, entries = house.calls(), house.listed("sets/access", set_name=FROZEN)
    assert [(each["state"], each["trigger"]) for each in planned] == [("failed", "scheduled")]
    assert "is labelled confidential" in planned[0]["error"]
    assert (calls, entries) == (0, [])


@pytest.mark.parametrize("labels", [["public"], []])
def test_what_is_public_or_reports_nothing_goes_anywhere(tmp_path: Path, labels: list[str]) -> None:
    with daemon(tmp_path, sets=sets(labels)) as house:
        house.import_primes(5)
        assert ask(house).status_code == 201


def test_check_reports_before_a_night_does(tmp_path: Path, run: Run) -> None:  # noqa: F811
    with daemon(tmp_path, sets=sets(["pii"])) as house:
        house.import_primes(5)
    refused = run("check", "--config", tmp_path / "driftd.yaml")
    assert refused.code == 1
    assert "is labelled pii" in refused.out
    document = yaml.safe_load((tmp_path / "driftd.yaml").read_text())
    document["targets"]["gpt-4"]["cleared_for"] = ["pii", "confidential"]
    (tmp_path / "driftd.yaml").write_text(yaml.safe_dump(document))
    assert "is labelled pii" not in run("check", "--config", tmp_path / "driftd.yaml").out


def test_a_label_that_no_one_knows_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"sets.primes-private.labels\[0\]"), daemon(tmp_path, sets=sets(["secret"])):
        pass
