"""The diagnosis of frozen and dynamic sets, over stored findings and corrections."""

from datetime import timedelta
from typing import Any

from monitor.api.auth import Role
from monitor.domain.evalset import SetKind
from monitor.domain.finding import Verdict
from monitor.store.traffic import feedback, interactions
from tests.api.house import NOW, House, token_of
from tests.api.rows import add_finding
from tests.store.build import feedback as a_feedback
from tests.store.build import interaction

READ = token_of(Role.READ)
CALLS, DAYS = 200, 36


def found(house: House, set_name: str, verdict: Verdict, *, days: float = 0.0) -> None:
    kind = SetKind.DYNAMIC if set_name == "corrections" else SetKind.FROZEN
    at = NOW + timedelta(days=days)
    add_finding(house, f"{set_name}-{days}", at, set_name=set_name, set_kind=kind, verdict=verdict)


def traffic(house: House, *, corrected: tuple[int, int]) -> None:
    """Store five weeks of complete days, with the daily corrections of the first four weeks and of the last."""
    midnight = NOW.replace(hour=0)
    rows, said = [], []
    for day in range(1, DAYS):
        at = midnight - timedelta(days=day) + timedelta(hours=9)
        rows += [interaction(f"i-{day}-{n}", deployment="bot", started_at=at) for n in range(CALLS)]
        count = corrected[1] if day <= 7 else corrected[0]
        said += [
            a_feedback(f"f-{day}-{n}", deployment="bot", at=at, received_at=at, is_correction=True)
            for n in range(count + day % 3 - 1)
        ]
    with house.store.write() as tx:
        interactions.insert(tx, rows)
        feedback.insert(tx, said)


def diagnosis(house: House) -> dict[str, Any]:
    response = house.get("/api/v1/diagnoses", token=READ)
    assert response.status_code == 200, response.text
    return next(row for row in response.json()["items"] if row["deployment"] == "bot")


def test_before_any_night_nothing_is_read(house: House) -> None:
    told = diagnosis(house)
    assert (told["diagnosis"], told["corrections"]) == ("no_answer", None)
    assert [row["set_name"] for row in told["frozen"]] == ["private", "keyless"]
    assert [(row["set_name"], row["verdict"]) for row in told["dynamic"]] == [("corrections", None)]


def test_the_newest_verdict_of_each_set_counts_and_a_fall_of_any_set_is_one_of_its_kind(house: House) -> None:
    found(house, "private", Verdict.REGRESSION, days=-1)
    found(house, "private", Verdict.OK)
    found(house, "keyless", Verdict.REGRESSION)
    found(house, "corrections", Verdict.OK)
    told = diagnosis(house)
    assert told["diagnosis"] == "old_skill_lost"
    assert told["sentence"].startswith("Only the frozen set fell")
    assert [row["verdict"] for row in told["frozen"]] == ["ok", "regression"]
    assert told["dynamic"][0]["finding_id"] == "corrections-0.0"


def test_a_frozen_set_that_rose_while_users_correct_as_before_is_not_believed(house: House) -> None:
    found(house, "private", Verdict.IMPROVEMENT)
    found(house, "corrections", Verdict.OK)
    assert diagnosis(house)["diagnosis"] == "frozen_only_better"
    traffic(house, corrected=(30, 30))
    told = diagnosis(house)
    assert told["diagnosis"] == "overfitted"
    assert told["corrections"]["fell"] is False
    assert (told["corrections"]["days"], told["corrections"]["days_before"]) == (7, 28)


def test_corrections_that_fell_confirm_it(house: House) -> None:
    found(house, "private", Verdict.IMPROVEMENT)
    found(house, "corrections", Verdict.OK)
    traffic(house, corrected=(30, 10))
    told = diagnosis(house)
    assert (told["diagnosis"], told["corrections"]["fell"]) == ("frozen_only_better", True)
    assert told["corrections"]["after"] < told["corrections"]["before"]
    assert told["corrections"]["ci_high"] < 0.0
