"""GET /api/v1/overview: one row per deployment."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.alerting.checks.condition import Condition, ConditionState
from monitor.domain.alert import AlertState
from monitor.domain.baseline import Acceptance
from monitor.domain.finding import Comparison, Interval, Verdict
from monitor.domain.run import Trigger
from monitor.store.runs import runs
from monitor.store.traffic import interactions
from tests.api.house import NOW, House, import_cases, open_house
from tests.api.rows import (
    add_alert,
    add_change,
    add_complete_run,
    add_finding,
    add_run,
    add_sample,
    add_version,
)
from tests.store.build import interaction

PATH = "/api/v1/overview"
PASSES = {"p-7": True, "c-9": False, "p-11": True}
COMPARED = Comparison(
    metric="pass_rate",
    baseline=0.9,
    candidate=0.6,
    effect=-0.3,
    interval=Interval(low=-0.4, high=-0.2),
    p_value=0.001,
    flipped_to_fail=3,
    flipped_to_pass=0,
    n=10,
    mde=0.1,
    mde_discordance=0.2,
    mde_source="a/a",
    categories=(),
    failure_shifts=(),
    worst_cases=(),
    flipped_case_ids=(),
)


def rows(house: House, **params: Any) -> dict[str, dict[str, Any]]:
    answer = house.get(PATH, **params)
    assert answer.status_code == 200, answer.text
    return {row["deployment"]: row for row in answer.json()["items"]}


def private(row: dict[str, Any]) -> dict[str, Any]:
    return next(one for one in row["sets"] if one["set_name"] == "private")


def later(house: House, **change: float) -> None:
    house.clock.instant = NOW + timedelta(**change)


def judged(house: House, verdict: Verdict = Verdict.OK, **fields: Any) -> None:
    """One night of the set `private`, with its verdict."""
    import_cases(house)
    add_complete_run(house, "run-1", PASSES)
    add_finding(house, "finding-1", verdict=verdict, candidate_run="run-1", comparison=COMPARED, **fields)


def test_a_deployment_without_any_row_has_no_data(house: House) -> None:
    row = rows(house)["bot"]
    assert (row["state"], row["reason"], row["since"]) == ("no_data", "no eval set has cases yet", None)
    assert [one["set_name"] for one in row["sets"]] == ["corrections", "keyless", "private"]
    assert (row["version_label"], row["change"], row["replay"]) == (None, None, None)
    assert row["ingest"]["state"] == row["judges"]["state"] == row["set_health"]["state"] == "unknown"


def test_a_night_has_the_counts_of_its_run_with_an_interval(house: House) -> None:
    judged(house)
    later(house, hours=1)
    [night] = private(rows(house)["bot"])["nights"]
    item = house.get("/api/v1/runs/run-1").json()
    assert (night["passed"], night["scored"]) == (item["passed"], item["scored"]) == (2, 3)
    assert night["low"] < night["rate"] < night["high"]
    assert night["rate"] == pytest.approx(2 / 3)


def test_a_verdict_has_the_interval_and_the_age_of_its_run(house: House) -> None:
    judged(house)
    found = private(rows(house)["bot"])
    assert (found["verdict"], found["effect"], found["effect_low"], found["effect_high"]) == ("ok", -0.3, -0.4, -0.2)
    assert found["measured_at"] == "2026-11-21T02:05:00Z"
    assert (found["kind"], found["cases"], found["imported"]) == ("frozen", 3, False)


def test_a_verdict_is_stale_after_two_planned_replays_without_another(house: House) -> None:
    judged(house)
    later(house, hours=30)
    assert rows(house)["bot"]["state"] == "ok"
    # Planned at 01:00 UTC of the next two days; each replay may take six hours.
    assert private(rows(house)["bot"])["stale_at"] == "2026-11-23T07:00:00Z"
    later(house, days=2, hours=5)
    row = rows(house)["bot"]
    assert (row["state"], row["since"]) == ("stale", "2026-11-23T07:00:00Z")


def test_an_open_alert_is_the_state_with_its_link_and_beginning(house: House) -> None:
    judged(house, Verdict.REGRESSION)
    add_alert(house, "alert-1")
    add_alert(house, "alert-2", severity="warning", set_name=None, source="traffic", state=AlertState.PENDING)
    row = rows(house)["bot"]
    assert (row["state"], row["alert_id"], row["reason"]) == ("regression", "alert-1", "bot got worse")
    assert row["since"] == "2026-11-21T02:00:00Z"
    assert row["alerts"] == {
        "critical": 1,
        "warning": 1,
        "info": 0,
        "acknowledged": 0,
        "lead_id": "alert-1",
        "lead_summary": "bot got worse",
    }
    assert private(row)["alert_id"] == "alert-1"
    assert list(rows(house)) == ["bot", "other-bot"], "the worst first"


def test_an_accepted_regression_names_who_accepted_it(house: House) -> None:
    judged(house, Verdict.OK, acceptance=Acceptance(by="ana", reason="cheaper", at=NOW))
    found = private(rows(house)["bot"])
    assert (found["acceptance"]["by"], found["acceptance"]["reason"]) == ("ana", "cheaper")


def test_the_newest_change_and_the_current_version_are_named(house: House) -> None:
    for name in ("v1", "v2"):
        add_version(house, name)
    add_change(house, "change-1", from_version="v1", to_version="v2")
    row = rows(house)["bot"]
    labels = {one["id"]: one["label"] for one in house.get("/api/v1/versions").json()["items"]}
    assert (row["change"]["from_label"], row["change"]["to_label"]) == (labels["v1"], labels["v2"])
    assert row["version_label"] == labels["v2"]
    assert rows(house)["other-bot"]["change"] is None


def test_a_running_replay_has_its_progress(house: House) -> None:
    import_cases(house)
    add_run(house, "run-1")
    with house.store.write() as tx:
        runs.set_running(tx, "run-1", NOW)
    add_sample(house, "run-1", "p-7", 0, passed=True)
    assert rows(house)["bot"]["replay"] == {
        "run_id": "run-1",
        "set_name": "private",
        "state": "running",
        "started_at": "2026-11-21T02:00:00Z",
        "done": 1,
        "total": 3,
    }


def test_the_next_replay_is_the_next_time_of_the_schedule_and_a_pause_is_named(house: House) -> None:
    assert rows(house)["bot"]["next_replay"] == {"schedule": "nightly", "at": "2026-11-22T01:00:00Z", "paused": []}
    assert rows(house)["other-bot"]["next_replay"]["at"] is None
    assert house.post("/api/v1/schedules/nightly/pause", {"reason": "migration"}).status_code == 200
    assert rows(house)["bot"]["next_replay"] == {"schedule": None, "at": None, "paused": ["nightly"]}


def test_calls_of_today_are_counted_apart_from_those_of_the_week(house: House) -> None:
    with house.store.write() as tx:
        interactions.insert(
            tx,
            [
                interaction(f"i-{days}", deployment="bot", started_at=NOW - timedelta(days=days), received_at=NOW)
                for days in (0, 3, 9)
            ],
        )
    traffic = rows(house)["bot"]["traffic"]
    assert (traffic["calls"], traffic["calls_today"], traffic["corrections"]) == (2, 1, 0)
    assert rows(house)["other-bot"]["traffic"]["last_call_at"] is None


def test_health_is_known_only_where_a_condition_was_read(tmp_path: Path) -> None:
    def one(rule: str, state: ConditionState, deployment: str = "bot") -> Condition:
        return Condition(rule=rule, deployment=deployment, subject="x", state=state, reason=f"{rule} is {state}")

    found = [
        one("TrafficStopped", ConditionState.CLEAR),
        one("SetStale", ConditionState.UNKNOWN),
        one("JudgeDrift", ConditionState.FIRING),
    ]
    with open_house(tmp_path, conditions=lambda: found) as house:
        bot, other = rows(house)["bot"], rows(house)["other-bot"]
    assert [bot[area]["state"] for area in ("ingest", "set_health", "judges")] == ["ok", "unknown", "problem"]
    assert bot["judges"]["reason"] == "JudgeDrift is firing"
    assert other["ingest"]["state"] == "unknown"


def test_the_newest_nights_are_bounded_and_complete_runs_only(house: House) -> None:
    import_cases(house)
    for night in range(3):
        add_complete_run(house, f"run-{night}", PASSES, night=night)
    add_run(house, "open")
    later(house, days=3)
    assert [one["run_id"] for one in private(rows(house)["bot"])["nights"]] == ["run-0", "run-1", "run-2"]
    assert [one["run_id"] for one in private(rows(house, nights=1)["bot"])["nights"]] == ["run-2"]


def test_one_deployment_can_be_asked_for_and_an_unknown_one_is_named(house: House) -> None:
    assert list(rows(house, deployment="other-bot")) == ["other-bot"]
    answer = house.get(PATH, deployment="typo")
    assert answer.status_code == 404
    assert "typo" in answer.json()["detail"]


def test_imported_runs_are_stale_two_days_after_their_run(house: House) -> None:
    import_cases(house)
    add_complete_run(house, "run-1", PASSES, trigger=Trigger.IMPORTED)
    add_finding(house, "finding-1", verdict=Verdict.OK, candidate_run="run-1")
    later(house, days=2)
    found = private(rows(house)["bot"])
    assert (found["imported"], found["stale_at"]) == (True, "2026-11-23T02:05:00Z")
    later(house, days=2, minutes=5)
    assert rows(house)["bot"]["state"] == "stale"


def test_a_deployment_with_imported_runs_only_is_listed(house: House) -> None:
    import_cases(house)
    add_complete_run(house, "run-1", PASSES, deployment="elsewhere", trigger=Trigger.IMPORTED)
    later(house, hours=1)
    row = rows(house)["elsewhere"]
    assert [one["set_name"] for one in row["sets"]] == ["private"]
    assert row["state"] == "no_data"
