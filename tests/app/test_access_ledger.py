"""A complete daemon replays a private set, and the access log records what was sent where."""

import json
from pathlib import Path

import pytest

from monitor.cli.demo.settings import DYNAMIC
from monitor.cli.main import main
from tests.app.house import DEPLOYMENT, FROZEN, House, daemon

CASES = 12


def ledger(house: House, **params: str) -> list[dict[str, object]]:
    page = house.api.get("/api/v1/sets/access", params={"set_name": FROZEN, "limit": "500", **params})
    return list(page.raise_for_status().json()["items"])


def test_every_replay_is_an_exposure_and_reports_to_whom(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        house.import_primes(CASES)
        assert ledger(house) == []
        first, second = house.replay(), house.replay()
        entries = ledger(house)
        exposure = house.api.get("/api/v1/sets/exposure", params={"set_name": FROZEN}).json()
        host = house.endpoint.address.removeprefix("http://")
        one = ledger(house, case_id=exposure["cases"][0]["case_id"])
        calls = house.calls()
    assert [entry["what"] for entry in entries] == [second["id"], first["id"]]
    assert {(e["kind"], e["who"], e["provider"], e["cases"]) for e in entries} == {("replay", DEPLOYMENT, host, CASES)}
    assert sum(int(str(entry["calls"])) for entry in entries) == calls == sum(exposure["providers"].values())
    assert {case["calls"] for case in exposure["cases"]} == {2}
    assert [entry["calls"] for entry in one] == [1, 1]


def test_a_case_over_its_budget_is_proposed_for_rotation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets = {
        FROZEN: {"kind": "frozen", "key_file": "primes.key", "exposure_budget": 2, "scorers": [{"kind": "contains"}]},
        DYNAMIC: {"kind": "dynamic", "scorers": [{"kind": "contains"}]},
    }
    with daemon(tmp_path, sets=sets) as house:
        house.import_primes(CASES)
        url = str(house.api.base_url)
        house.replay()
        assert rotate(url, capsys)[0] == 0
        house.replay()
        code, out = rotate(url, capsys)
    document = json.loads(out)
    assert code == 1
    assert (len(document["over_budget"]), len(document["to_replace"]), document["days_left"]) == (CASES, 3, 0.0)


def rotate(url: str, capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main(["sets", "rotate", FROZEN, "--url", url, "--json"])
    return left.value.code, capsys.readouterr().out
