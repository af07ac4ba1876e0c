"""Deployments, feedback, findings, alerts, notifications, status and probes, as the role `read` sees them."""

from pathlib import Path

import pytest

from monitor.domain.alert import AlertState
from monitor.domain.evalset import SetKind
from monitor.domain.finding import CategoryEffect, Comparison, FailureShift, Interval, WorstCase
from tests.api.house import NOW, House, open_house
from tests.api.records import interaction, thumb
from tests.api.rows import add_alert, add_change, add_finding, add_notification, add_version

COMPARISON = Comparison(
    metric="pass_rate",
    baseline=0.9,
    candidate=0.5,
    effect=-0.4,
    interval=Interval(low=-0.5, high=-0.3),
    p_value=0.001,
    flipped_to_fail=5,
    flipped_to_pass=1,
    n=10,
    mde=0.1,
    mde_discordance=0.05,
    mde_source="a/a",
    categories=(
        CategoryEffect(
            category="prime",
            n=10,
            baseline=0.9,
            candidate=0.5,
            effect=-0.4,
            interval=Interval(low=-0.6, high=-0.2),
            flipped_to_fail=5,
            flipped_to_pass=1,
            p_value_adjusted=0.002,
            moved=True,
        ),
    ),
    failure_shifts=(FailureShift(failure_category="wrong_answer", baseline=1, candidate=5),),
    worst_cases=(
        WorstCase(case_id="p-7", category="prime", severity="high", passing_nights=3, failure_category="wrong_answer"),
    ),
    flipped_case_ids=("p-7",),
)


def test_a_deployment_reports_its_version_traffic_and_open_alerts(house: House) -> None:
    add_version(house, "v1")
    add_change(house, "change-1", "v1")
    add_alert(house, "alert-1")
    add_alert(house, "alert-2", state=AlertState.RESOLVED, resolved_at=NOW)
    house.post("/api/v1/interactions", [interaction(), interaction(id="call-2", deployment="elsewhere")])
    bot, other = house.get("/api/v1/deployments").json()["items"]
    assert (bot["name"], bot["target"], bot["sets"]) == ("bot", "gpt", ["private", "corrections", "keyless"])
    assert (bot["current_version"]["label"], bot["current_version"]["current"]) == ("label of v1", True)
    assert (bot["interactions"], bot["open_alerts"]) == (1, 1)
    assert (other["current_version"], other["interactions"], other["open_alerts"]) == (None, 0, 0)


def test_feedback_is_taken_and_read(house: House) -> None:
    at = "2026-11-21T01:30:00Z"
    result = house.post("/api/v1/feedback", [thumb(at=at, comment="wrong"), thumb(id="t", at=at, kind="shrug")]).json()
    assert (result["accepted"], [r["index"] for r in result["rejected"]]) == (1, [1])
    [item] = house.get("/api/v1/feedback").json()["items"]
    assert (item["kind"], item["value"], item["comment"], item["is_correction"]) == ("thumb", -1.0, "wrong", True)


def test_an_interaction_does_not_slip_in_among_feedback(house: House) -> None:
    [rejected] = house.post("/api/v1/feedback", interaction(type="interaction")).json()["rejected"]
    assert "accepts only records of type 'feedback'" in rejected["reason"]


def test_a_finding_is_reported_with_all_of_its_evidence(house: House) -> None:
    add_finding(house, "finding-1", comparison=COMPARISON, baseline_run="run-1", set_kind=SetKind.FROZEN)
    item = house.get("/api/v1/findings/finding-1").json()
    told = item["comparison"]
    assert (item["verdict"], item["set_kind"], told["ci_low"], told["ci_high"]) == ("regression", "frozen", -0.5, -0.3)
    assert told["categories"][0]["ci_high"] == -0.2
    assert told["failure_shifts"] == [{"failure_category": "wrong_answer", "baseline": 1, "candidate": 5}]
    assert told["worst_cases"][0]["passing_nights"] == 3
    assert house.get("/api/v1/findings").json()["items"] == [item]


def test_a_finding_without_a_comparison_reports_null(house: House) -> None:
    add_finding(house, "finding-1")
    assert house.get("/api/v1/findings/finding-1").json()["comparison"] is None


def test_an_alert_names_its_versions_for_people(house: House) -> None:
    add_version(house, "v2")
    add_version(house, "v2", deployment="other-bot")
    add_alert(house, "alert-1")
    item = house.get("/api/v1/alerts/alert-1").json()
    assert (item["from_version"], item["from_version_label"]) == ("v1", None)
    assert (item["to_version"], item["to_version_label"]) == ("v2", "label of v2")
    assert house.get("/api/v1/alerts").json()["items"] == [item]


def test_a_notification_reports_of_its_delivery_and_keeps_its_payload(house: House) -> None:
    add_notification(house, "notification-1")
    response = house.get("/api/v1/notifications")
    [item] = response.json()["items"]
    assert (item["receiver"], item["status"], item["attempt"], item["reason"]) == ("console", "sent", 1, "first")
    assert "payload" not in response.text


@pytest.mark.parametrize("what", ["findings", "alerts"])
def test_an_id_that_nothing_has_is_unknown(house: House, what: str) -> None:
    response = house.get(f"/api/v1/{what}/nothing")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert f"GET /api/v1/{what}" in response.json()["detail"]


def test_the_status_reports_the_daemons_own_time_and_load(house: House) -> None:
    house.post("/api/v1/interactions", {"bad": 1})
    status = house.get("/api/v1/status").json()
    assert status["now"] == "2026-11-21T02:00:00Z"
    assert (status["dead_letters"], status["intake_rows"], status["intake_capacity"]) == (1, 0, 10_000)
    assert status["loops"] == {"writer": "running"}
    assert status["code_version"] == "0.1.0+test"
    assert status["store_bytes"] > 0


def test_the_probes_say_ok(house: House) -> None:
    assert house.get("/healthz").json() == {"status": "ok"}
    assert house.get("/readyz").json() == {"status": "ok"}


def test_a_daemon_that_is_not_ready_gives_the_reason_and_is_still_alive(tmp_path: Path) -> None:
    with open_house(tmp_path, ready=lambda: "loop 'writer' has stopped") as house:
        response = house.get("/readyz")
        assert (response.status_code, response.json()["code"]) == (503, "not_ready")
        assert response.json()["detail"] == "loop 'writer' has stopped"
        assert int(response.headers["retry-after"]) >= 1
        assert house.get("/healthz").status_code == 200


def test_a_store_that_does_not_answer_is_not_ready(house: House) -> None:
    house.store.close()
    assert house.get("/readyz").status_code == 503
    assert house.get("/healthz").status_code == 200


def test_metrics_are_prometheus_text(house: House) -> None:
    response = house.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert response.text.startswith("# HELP driftd_")
