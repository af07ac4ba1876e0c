from dataclasses import replace
from datetime import timedelta

import pytest

from monitor.domain.alert import AlertState, DeliveryState
from monitor.domain.production import Series
from monitor.errors import NotFound
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import alerts
from tests.store.build import START, alert, at, notification

FIRING = alert("a", state=AlertState.FIRING, fired_at=at(1), updated_at=at(1), from_version="v1", to_version="v2")


def test_an_alert_is_written_as_it_is_now(store: Store) -> None:
    with store.write() as tx:
        alerts.upsert(tx, alert("a"))
        alerts.upsert(tx, FIRING)  # twice in one transaction
    with store.write() as tx:
        alerts.upsert(tx, replace(FIRING, state=AlertState.RESOLVED, resolved_at=at(9)))
    with store.read() as tx:
        resolved = alerts.get(tx, "a")
        assert resolved == replace(FIRING, state=AlertState.RESOLVED, resolved_at=at(9))
        assert alerts.page(tx, PageQuery()).items == [resolved]
        assert alerts.get(tx, "b") is None


def test_an_open_alert_is_found_by_its_key_and_a_resolved_one_is_not(tx: Tx) -> None:
    alerts.upsert(tx, alert("old", state=AlertState.RESOLVED, pending_since=at(5)))
    assert alerts.open_by_key(tx, "support/primes") is None
    alerts.upsert(tx, FIRING)
    assert alerts.open_by_key(tx, "support/primes") == FIRING
    assert alerts.open_by_key(tx, "support/words") is None


def test_open_alerts_of_a_set_of_a_deployment_and_of_all(tx: Tx) -> None:
    alerts.upsert(tx, FIRING)
    alerts.upsert(tx, alert("b", set_name="words", pending_since=at(2)))
    alerts.upsert(tx, alert("c", deployment="search", pending_since=at(3)))
    alerts.upsert(tx, alert("d", state=AlertState.RESOLVED, pending_since=at(4)))
    assert [item.id for item in alerts.open_all(tx)] == ["c", "b", "a"]
    assert [item.id for item in alerts.open_all(tx, "support")] == ["b", "a"]
    assert alerts.open_of_set(tx, "support", "primes") == FIRING
    assert alerts.open_of_set(tx, "search", "words") is None


def test_a_notification_comes_back_as_it_was(tx: Tx) -> None:
    queued = notification("n", payload={"worst": [{"case_id": "p-1"}], "at": "2026-11-21T02:00:00+00:00"})
    alerts.insert_notifications(tx, [queued])
    alerts.insert_notifications(tx, [])
    assert alerts.notifications_of(tx, "alert-1") == [queued]
    assert alerts.notifications_of(tx, "alert-2") == []


HOUR = timedelta(hours=1)


def next_at(tx: Tx, minutes: float, receiver: str = "pager") -> str | None:
    found = alerts.next_notification(tx, receiver, at(minutes), HOUR)
    return None if found is None else found.id


def test_the_oldest_delivery_of_the_receiver_that_is_due_comes_next(tx: Tx) -> None:
    alerts.insert_notifications(
        tx,
        [
            notification("now"),
            notification("later", planned_at=at(5)),
            notification("retry", next_attempt_at=at(2), attempt=1, planned_at=at(-1)),
            notification("sent", state=DeliveryState.SENT, planned_at=at(-9)),
            notification("given up", state=DeliveryState.FAILED, planned_at=at(-9)),
            notification("replaced", state=DeliveryState.REPLACED, planned_at=at(-9)),
            notification("other", receiver="chat", planned_at=at(-9)),
        ],
    )
    assert [next_at(tx, 0), next_at(tx, 2), next_at(tx, 0, "chat"), next_at(tx, 0, "mail")] == [
        "now",
        "retry",
        "other",
        None,
    ]
    alerts.update_notification(tx, notification("now", state=DeliveryState.SENT))
    assert [next_at(tx, 0), next_at(tx, 5)] == [None, "retry"]
    alerts.make_due(tx, "pager", START)
    assert next_at(tx, 0) == "retry"


def test_a_delivery_that_was_put_off_while_the_clock_was_ahead_is_due(tx: Tx) -> None:
    alerts.insert_notifications(tx, [notification("n", attempt=1, next_attempt_at=at(60 * 24 * 900))])
    assert next_at(tx, 0) == "n"


def test_a_replaced_delivery_whose_attempt_was_under_way_is_not_due_again_unless_it_arrived(tx: Tx) -> None:
    queued = notification("n")
    alerts.insert_notifications(tx, [queued])
    alerts.update_notification(tx, replace(queued, state=DeliveryState.REPLACED, next_attempt_at=None))
    alerts.update_notification(tx, replace(queued, attempt=1, next_attempt_at=at(1), error="away"))
    [kept] = alerts.notifications_of(tx, "alert-1")
    assert (kept.state, kept.attempt, kept.next_attempt_at) == (DeliveryState.REPLACED, 1, None)
    alerts.update_notification(tx, replace(queued, state=DeliveryState.SENT, sent_at=at(2), next_attempt_at=None))
    assert alerts.notifications_of(tx, "alert-1")[0].state is DeliveryState.SENT


def test_deliveries_to_receivers_that_are_gone_are_given_up(tx: Tx) -> None:
    alerts.insert_notifications(tx, [notification("a"), notification("b", receiver="chat")])
    assert alerts.give_up_others(tx, ["pager"], "it is gone") == 1
    states = {n.id: (n.state.value, n.error) for n in alerts.notifications_of(tx, "alert-1")}
    assert states == {"a": ("queued", None), "b": ("failed", "it is gone")}


def test_what_came_of_an_attempt_is_written_down(tx: Tx) -> None:
    queued = notification("n")
    alerts.insert_notifications(tx, [queued])
    failed = replace(queued, attempt=1, next_attempt_at=at(1), error="503 from the receiver")
    alerts.update_notification(tx, failed)
    assert alerts.notifications_of(tx, "alert-1") == [failed]
    sent = replace(failed, state=DeliveryState.SENT, attempt=2, next_attempt_at=None, sent_at=at(1), error=None)
    alerts.update_notification(tx, sent)
    assert alerts.notifications_of(tx, "alert-1") == [sent]
    with pytest.raises(NotFound, match="notification 'm' is unknown"):
        alerts.update_notification(tx, notification("m"))


def test_notifications_are_listed_by_the_deployment_of_their_alert(tx: Tx) -> None:
    alerts.upsert(tx, alert("alert-1"))
    alerts.insert_notifications(tx, [notification("a"), notification("b", alert_id="alert-2", planned_at=at(1))])
    assert [item.id for item in alerts.page_notifications(tx, PageQuery()).items] == ["b", "a"]
    assert [item.id for item in alerts.page_notifications(tx, PageQuery(deployment="support")).items] == ["a"]


def test_an_alert_on_a_production_series_is_found_by_it_and_by_no_set(tx: Tx) -> None:
    about = alert("a", set_name=None, series="latency", dedup_key="support/production/latency")
    alerts.upsert(tx, about)
    newer = replace(about, id="b", pending_since=about.pending_since + timedelta(hours=1))
    alerts.upsert(tx, alert("c", set_name=None, series="cost", dedup_key="support/production/cost"))
    assert alerts.open_of_series(tx, "support")[Series.LATENCY] == about
    assert alerts.open_of_series(tx, "support").keys() == {Series.LATENCY, Series.COST}
    assert alerts.open_of_series(tx, "search") == {}
    alerts.upsert(tx, newer)
    assert alerts.open_of_series(tx, "support")[Series.LATENCY] == newer
    assert alerts.open_of_set(tx, "support", "primes") is None
