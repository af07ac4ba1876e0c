from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from monitor.store.runs import spending
from replay.periods import Period
from replay.run.budget import Budget, Spent
from tests.api.house import NOW, House, import_cases, open_house
from tests.api.policies import policy
from tests.api.rows import add_run

PATH = "/api/v1/budgets"


def test_without_budgets_the_list_is_empty(house: House) -> None:
    assert house.get(PATH).json() == {"items": [], "next_cursor": None}


def test_a_budget_reports_what_is_spent_in_its_period_and_when_it_is_renewed(tmp_path: Path) -> None:
    known = policy()
    limits = {Period.DAY: Budget(requests=100), Period.MONTH: Budget(requests=1000, usd=5.0)}
    bot = replace(known.deployments["bot"], replay=replace(known.deployments["bot"].replay, periods=limits))
    with open_house(tmp_path, known=replace(known, deployments={**known.deployments, "bot": bot})) as house:
        with house.store.write() as tx:
            for at, requests in ((NOW, 100), (NOW - timedelta(days=1), 300), (NOW - timedelta(days=40), 900)):
                ended = Spent(requests=requests, tokens=10 * requests, usd=requests / 100)
                spending.record(tx, "run-1", "bot", at, started=requests, ended=ended)
        day, month = house.get(PATH).json()["items"]
        assert (day["deployment"], day["period"], day["requests"], day["usd"]) == ("bot", "day", 100, None)
        assert (day["spent"], day["met"]) == ({"requests": 100, "tokens": 1000, "usd": 1.0}, "requests")
        assert day["renewed_at"] == "2026-11-22T00:00:00Z"
        assert (month["spent"]["requests"], month["met"], month["renewed_at"]) == (400, None, "2026-12-01T00:00:00Z")


def test_a_run_reports_what_it_spent(house: House) -> None:
    import_cases(house)
    add_run(house, "run-1")
    with house.store.write() as tx:
        spending.record(tx, "run-1", "bot", NOW, started=3, ended=Spent(requests=2, tokens=50, usd=0.5))
    assert house.get("/api/v1/runs/run-1").json()["spent"] == {"requests": 3, "tokens": 50, "usd": 0.5}
