"""People steer alerts: they acknowledge, resolve, judge and silence them."""

from datetime import timedelta
from typing import Any

import pytest

from monitor.alerting.notify.base import ReceiverUnavailable
from monitor.alerting.render import render
from monitor.domain.alert import Alert, AlertState, DeliveryState, Notification, NotifyReason
from monitor.store.findings import alerts
from tests.alerting.build import a_notification
from tests.api.house import NOW, House, open_house
from tests.api.rows import add_alert, add_silence

ALERT = "/api/v1/alerts/alert-1"
SILENCE = {"matchers": ["deployment=bot"], "comment": "moving house", "ends_at": "2026-11-21T09:00:00Z"}


def stored(house: House) -> Alert:
    with house.store.read() as tx:
        found = alerts.get(tx, "alert-1")
    assert found is not None
    return found


def events(house: House) -> list[tuple[str, str, str | None]]:
    return [(e["kind"], e["who"], e["note"]) for e in house.get(f"{ALERT}/events").json()["items"]]


def test_an_acknowledgement_is_stored_with_who_and_why_and_can_be_taken_back(house: House) -> None:
    add_alert(house, "alert-1", state=AlertState.FIRING)
    seen = house.post(f"{ALERT}/acknowledge", {"note": "I am on it"})
    assert (seen.status_code, seen.json()["acknowledged_by"]) == (200, "local")
    assert stored(house).acknowledged_at == NOW
    assert house.post(f"{ALERT}/unacknowledge", {}).json()["acknowledged_by"] is None
    assert house.post(f"{ALERT}/unacknowledge", {}).status_code == 409
    assert events(house) == [("acknowledged", "local", "I am on it"), ("unacknowledged", "local", None)]
    assert len(house.wakes) >= 2  # the loop that notifies runs at once


def test_a_person_resolves_an_alert_once(house: House) -> None:
    add_alert(house, "alert-1", state=AlertState.FIRING)
    assert house.post(f"{ALERT}/resolve", {"note": "rolled back"}).json()["state"] == "resolved"
    assert house.post(f"{ALERT}/resolve", {}).status_code == 409
    assert house.post(f"{ALERT}/acknowledge", {}).status_code == 409
    assert events(house) == [("resolved", "local", "rolled back")]


def test_verdicts_give_the_precision_of_a_rule(house: House) -> None:
    verdicts = ["true", "true", "false", "expected", None]
    for number, verdict in enumerate(verdicts):
        add_alert(house, f"alert-{number}", state=AlertState.RESOLVED, fired_at=NOW, rule="CategoryRegression")
        if verdict is not None:
            body = {"verdict": verdict, "note": "checked"}
            assert house.post(f"/api/v1/alerts/alert-{number}/verdict", body).json()["verdict"] == verdict
    rules = {row["name"]: row for row in house.get("/api/v1/rules").json()["items"]}
    judged = rules["CategoryRegression"]
    counts = [judged[name] for name in ("fired", "judged_true", "judged_false", "judged_expected", "precision")]
    assert counts == [5, 2, 1, 1, 0.75]
    assert (rules["ReplayMissed"]["fired"], rules["ReplayMissed"]["precision"]) == (0, None)
    later = (NOW + timedelta(days=1)).isoformat()
    assert {row["fired"] for row in house.get("/api/v1/rules", since=later).json()["items"]} == {0}


@pytest.mark.parametrize("action", ["acknowledge", "resolve", "verdict"])
def test_an_unknown_alert_is_404(house: House, action: str) -> None:
    body = {"verdict": "true"} if action == "verdict" else {}
    answer = house.post(f"/api/v1/alerts/nothing/{action}", body)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_repeated_key_acknowledges_once(house: House) -> None:
    add_alert(house, "alert-1", state=AlertState.FIRING)
    first = house.post(f"{ALERT}/acknowledge", {}, key="k")
    assert house.post(f"{ALERT}/acknowledge", {}, key="k").json() == first.json()
    assert len(events(house)) == 1


def test_a_silence_says_what_it_hides_before_and_while_it_is_active(house: House) -> None:
    add_alert(house, "alert-1", state=AlertState.FIRING)
    add_alert(house, "alert-2", state=AlertState.FIRING, deployment="other")
    add_alert(house, "alert-3", state=AlertState.RESOLVED)
    hidden = house.post("/api/v1/silences/preview", SILENCE).json()
    assert (hidden["matchers"], [row["id"] for row in hidden["alerts"]]) == (['deployment="bot"'], ["alert-1"])
    assert house.get("/api/v1/silences").json()["items"] == []
    made = house.post("/api/v1/silences", SILENCE)
    assert (made.status_code, made.json()["state"], made.json()["created_by"]) == (201, "active", "local")
    assert house.get(ALERT).json()["suppressed"].startswith("silenced until 2026-11-21 09:00 UTC (silence-")
    ended = house.post(f"/api/v1/silences/{made.json()['id']}/expire", {}).json()
    assert (ended["state"], ended["expired_by"]) == ("expired", "local")
    assert house.get(ALERT).json()["suppressed"] is None
    assert house.post(f"/api/v1/silences/{made.json()['id']}/expire", {}).status_code == 409


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"ends_at": "2026-11-20T09:00:00Z"}, "body.ends_at: the end must be after the start"),
        ({"ends_at": "2027-11-20T09:00:00Z"}, "body.ends_at: a silence lasts 90 days at most"),
        ({"matchers": ["team=a"]}, "body.matchers: label 'team' is unknown"),
        ({"matchers": ["deployment"]}, "body.matchers: matcher 'deployment' cannot be read"),
        ({"matchers": ["deployment=~("]}, "body.matchers: '(' for deployment is not a regular expression"),
        ({"matchers": []}, "body.matchers"),
        ({"comment": ""}, "body.comment"),
        ({"ends_at": None}, "body.ends_at"),
    ],
)
def test_a_silence_without_end_author_or_reason_is_refused(house: House, changes: dict[str, Any], reason: str) -> None:
    answer = house.post("/api/v1/silences", SILENCE | changes)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(reason)


def test_a_silence_of_tomorrow_is_pending(house: House) -> None:
    tomorrow = SILENCE | {"starts_at": "2026-11-22T00:00:00Z", "ends_at": "2026-11-23T00:00:00Z"}
    assert house.post("/api/v1/silences", tomorrow).json()["state"] == "pending"
    house.clock.instant = NOW + timedelta(days=3)
    assert [row["state"] for row in house.get("/api/v1/silences").json()["items"]] == ["expired"]


def test_the_list_of_alerts_is_filtered_by_state(house: House) -> None:
    for number, state in enumerate((AlertState.PENDING, AlertState.FIRING, AlertState.RESOLVED)):
        add_alert(house, f"alert-{number}", state=state)
    found = {
        state: [row["id"] for row in house.get("/api/v1/alerts", state=state).json()["items"]]
        for state in ("open", "pending", "firing", "resolved")
    }
    assert found == {
        "open": ["alert-1", "alert-0"],
        "pending": ["alert-0"],
        "firing": ["alert-1"],
        "resolved": ["alert-2"],
    }
    assert house.get("/api/v1/alerts", state="odd").status_code == 422


class Broken:
    name = "pager"

    def reach(self) -> None: ...

    def send(self, notification: Notification) -> None:
        raise ReceiverUnavailable(f"receiver 'pager' responded 503 to {notification.payload['reason']}")

    def close(self) -> None: ...


def test_a_test_notification_reports_the_answer_of_the_receiver(tmp_path: Any) -> None:
    with open_house(tmp_path, receivers={"pager": Broken()}) as house:
        answer = house.post("/api/v1/receivers/pager/test", {}).json()
        assert (answer["delivered"], answer["error"]) == (False, "receiver 'pager' responded 503 to test")
        assert house.post("/api/v1/receivers/nobody/test", {}).status_code == 404


def test_silences_of_the_file_are_read_again(house: House) -> None:
    made = add_silence(house, "silence-1")
    assert house.get("/api/v1/silences/silence-1").json()["matchers"] == [str(m) for m in made.matchers]


def test_the_message_of_an_alert_is_the_newest_one_of_its_group(house: House) -> None:
    add_alert(house, "alert-1", state=AlertState.FIRING, group_id="group-1")
    before = house.get(f"{ALERT}/message").json()
    assert before == {"alert_id": "alert-1"} | dict.fromkeys(("reason", "planned_at", "title", "summary", "text"))
    queued = [
        a_notification(id=f"n{minute}", group_id="group-1", planned_at=NOW + timedelta(minutes=minute), reason=reason)
        for minute, reason in enumerate((NotifyReason.FIRST, NotifyReason.REPEAT))
    ]
    with house.store.write() as tx:
        alerts.insert_notifications(tx, queued)
    found = house.get(f"{ALERT}/message").json()
    assert (found["reason"], found["title"]) == ("repeat", render(queued[1].payload).title)
    assert found["text"] == render(queued[1].payload).text


def test_receivers_are_listed_with_their_deliveries_and_removed_ones_too(house: House) -> None:
    waiting: dict[str, Any] = {
        "alert_id": "alert-1",
        "reason": NotifyReason.FIRST,
        "payload": {},
        "state": DeliveryState.QUEUED,
        "planned_at": NOW,
        "group_id": "g",
        "attempt": 2,
        "sent_at": None,
        "error": "refused",
    }
    sent: dict[str, Any] = {**waiting, "state": DeliveryState.SENT, "sent_at": NOW, "error": None}
    rows = [("n1", "console", waiting), ("n2", "old", waiting), ("n3", "old", sent)]
    with house.store.write() as tx:
        alerts.insert_notifications(tx, [Notification(id=id_, receiver=to, **row) for id_, to, row in rows])
    console, old = house.get("/api/v1/receivers").json()["items"]
    at = "2026-11-21T02:00:00Z"
    assert console == {
        "name": "console",
        "configured": True,
        "sent_at": None,
        "queued": 1,
        "queued_since": at,
        "failed": 0,
        "error": "refused",
    }
    assert (old["name"], old["configured"], old["queued"], old["sent_at"]) == ("old", False, 1, at)
