"""PagerDuty in both directions: the real API, loops and store, with a strict fake of the Events API."""

import hashlib
import hmac
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from monitor.alerting.notify.table import build_receiver
from monitor.domain.finding import Verdict
from monitor.jobs.alerting.alert_loop import AlertLoop
from monitor.jobs.alerting.notify_loop import NotifyLoop
from monitor.store.findings import alerts, findings
from monitor.supervisor import Loop
from tests.alerting.notify.fakes.pagerduty import ROUTING_KEY, pagerduty
from tests.alerting.notify.fakes.vendor import Vendor
from tests.api.house import House, open_house
from tests.api.policies import policy
from tests.store.build import finding

SECRET = SecretStr("a-secret-of-the-subscription")


class Incident:
    """A daemon with one PagerDuty receiver, and the person who is on call."""

    def __init__(self, house: House, fake: Vendor) -> None:
        base = policy()
        rules = replace(base.alerts, receivers=("pager",), acknowledging=("pager",), for_s=0.0, group_wait_s=0.0)
        self.house, self.fake, self.policy = house, fake, replace(base, alerts=rules)
        options = {"routing_key": ROUTING_KEY, "url": fake.url, "timeout_s": 5.0}
        self.receiver = build_receiver("pagerduty", "pager", options, io.StringIO())
        store, clock = house.store, house.clock
        self.loops: list[Loop] = [
            AlertLoop(store=store, policy=self.policy, clock=clock),
            NotifyLoop(store=store, policy=self.policy, clock=clock, receiver=self.receiver),
        ]

    def find(self, verdict: Verdict) -> None:
        with self.house.store.write() as tx:
            now = self.house.clock.now()
            row = finding(f"finding-{now:%H%M}", deployment="bot", verdict=verdict, severity="critical", at=now)
            findings.insert(tx, row)

    def live(self, minutes: float) -> list[str]:
        """Let time pass. Return the actions that PagerDuty got meanwhile."""
        self.house.clock.instant += timedelta(minutes=minutes)
        known = len(self.fake.accepted)
        while sum(loop.step() for loop in self.loops):
            pass
        assert self.fake.rejected == []
        return [body["event_action"] for body in self.fake.accepted[known:]]

    def press(self, button: str, *, key: str | None = None) -> int:
        """Report what the person did in PagerDuty, as PagerDuty does. Return the number of changed alerts."""
        event = {
            "id": f"event-{button}-{self.house.clock.now():%H%M}",
            "event_type": f"incident.{button}",
            "occurred_at": self.house.clock.now().isoformat(),
            "agent": {"type": "user_reference", "summary": "Anne Droid"},
            "data": {"type": "incident", "incident_key": key or self.fake.accepted[-1]["dedup_key"]},
        }
        body = json.dumps({"event": event}).encode()
        digest = hmac.new(SECRET.get_secret_value().encode(), body, hashlib.sha256).hexdigest()
        path, headers = "/api/v1/callbacks/pagerduty/pager", {"X-PagerDuty-Signature": f"v1={digest}"}
        response = self.house.ask("POST", path, content=body, headers=headers)
        assert response.status_code == 200, response.text
        return int(response.json()["alerts"])

    @property
    def alert(self) -> str:
        with self.house.store.read() as tx:
            [one] = alerts.open_all(tx)
        return one.id


@pytest.fixture
def incident(tmp_path: Path) -> Iterator[Incident]:
    secrets = {("pagerduty", "pager"): SECRET}
    with pagerduty() as fake, open_house(tmp_path, callback_secrets=secrets) as house:
        one = Incident(house, fake)
        yield one
        one.receiver.close()


def test_an_acknowledgement_in_driftd_reaches_pagerduty_once(incident: Incident) -> None:
    incident.find(Verdict.REGRESSION)
    assert incident.live(1) == ["trigger"]
    incident.house.post(f"/api/v1/alerts/{incident.alert}/acknowledge", {"note": "I am on it"})
    assert incident.live(1) == ["acknowledge"]
    assert incident.live(60 * 24) == [], "no repeats"
    assert {body["dedup_key"] for body in incident.fake.accepted} == {incident.alert}
    incident.find(Verdict.OK)
    assert incident.live(1) == ["resolve"]


def test_an_acknowledgement_in_pagerduty_stops_the_repeats_until_it_ends(incident: Incident) -> None:
    incident.find(Verdict.REGRESSION)
    incident.live(1)
    assert incident.press("acknowledged") == 1
    assert incident.live(1) == ["acknowledge"], "which PagerDuty knows already"
    assert incident.live(60 * 24) == []
    assert incident.press("unacknowledged") == 1
    assert incident.live(60 * 24) == ["trigger"]
    shown = incident.house.get(f"/api/v1/alerts/{incident.alert}/events").json()["items"]
    who = [(item["kind"], item["who"]) for item in shown if item["who"] != "driftd"]
    assert who == [("acknowledged", "PagerDuty: Anne Droid"), ("unacknowledged", "PagerDuty: Anne Droid")]


def test_a_resolution_in_pagerduty_leaves_the_alert_firing_and_the_repeat_opens_an_incident(incident: Incident) -> None:
    incident.find(Verdict.REGRESSION)
    incident.live(1)
    assert incident.press("resolved") == 1
    assert incident.live(1) == []
    assert incident.alert, "it fires"
    assert incident.live(60 * 24) == ["trigger"]
    incident.find(Verdict.OK)
    assert incident.live(1) == ["resolve"]
