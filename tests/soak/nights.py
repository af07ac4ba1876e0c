"""Simulated nights of a whole daemon: real HTTP, real loops and a real store under a clock that is moved forward."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from monitor.cli.demo.story import as_case
from replay.recorded.endpoint import RecordedEndpoint
from tests.app.house import DEPLOYMENT, FROZEN, START, House, daemon
from tests.kills.alert_sink import AlertSink
from tests.soak.plan import OLD, Injected, Plan

SETTLE_S = 300.0
RECEIVER = "pager"
_MINUTES_OF_A_NIGHT = (0, 11, 32, 420)  # after 02:00: the retries of a replay, and its deadline
_MINUTES_OF_A_QUIET_NIGHT = (0,)
_HOURS_UNTIL_EVENING = 16  # after the deadline of the replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One delivery at the receiver."""

    night: int
    at: str
    reason: str
    group: str
    rules: tuple[str, ...]  # of the alerts that fire
    states: Mapping[str, str]  # of each alert, by id


@dataclass(slots=True, kw_only=True)
class Soak:
    """A plan at work. `pages` are in the order of their delivery."""

    plan: Plan
    house: House
    sink: AlertSink
    endpoint: RecordedEndpoint
    port: int
    serving: str = OLD
    night: int = 0
    pages: list[Page] = field(default_factory=list)

    def play(self, report: Callable[[int], None] = lambda _: None) -> None:
        for number in range(1, self.plan.nights + 1):
            self.night = number
            self._evening()
            self._pass_night()
            report(number)

    def alerts(self) -> list[dict[str, Any]]:
        """Return every alert that fired, paged or not, the oldest first."""
        kept = ("rule", "state", "severity", "fired_at", "resolved_at", "summary")
        fired = [alert for alert in reversed(self.house.listed("alerts")) if alert["fired_at"]]
        return [{name: alert[name] for name in kept} for alert in fired]

    def _evening(self) -> None:
        """Apply what the plan injects before this night."""
        for change in self.plan.changes:
            if change.until == self.night:
                self._end(change)
            if change.night == self.night:
                self._serve(change.new)
                if change.announced:
                    self._post("changes", {"deployment": DEPLOYMENT, "model": change.new, "note": "planned"})
                    self._step(self.house.clock.now() + timedelta(minutes=1))
        if self.night in self.plan.target_down and self.night - 1 not in self.plan.target_down:
            self.endpoint.stop()
        if self.night - 1 in self.plan.target_down and self.night not in self.plan.target_down:
            self.endpoint = RecordedEndpoint(self.house.data, snapshot=self.serving, port=self.port)
            self.endpoint.start()
            self._serve(self.serving)

    def _end(self, change: Injected) -> None:
        if change.rollback:
            self._serve(change.old)
            return
        found = next(f for f in self.house.listed("findings") if f["verdict"] == "regression")
        self._post("baselines", {"finding_id": found["id"], "reason": "the new version is wanted"})
        self._step(self.house.clock.now() + timedelta(minutes=1))

    def _pass_night(self) -> None:
        at = START.replace(hour=2) + timedelta(days=self.night)
        away, disturbed = self.night in self.plan.receiver_away, self.night in self.plan.target_down
        if away:
            self._step(at - timedelta(hours=1))
            self.sink.away = True
        minutes = list(_MINUTES_OF_A_NIGHT if away or disturbed else _MINUTES_OF_A_QUIET_NIGHT)
        for after in sorted({*minutes, *(range(0, 310, 60) if away else ())}):
            if away and after >= 300:
                self.sink.away = False
            self._step(at + timedelta(minutes=after, seconds=1))
        self._step(at + timedelta(hours=_HOURS_UNTIL_EVENING))

    def _step(self, at: datetime) -> None:
        """Move the clock, let every loop finish, and keep what the receiver got."""
        known = len(self.sink.deliveries)
        self.house.clock.advance_to(at)
        self.house.app.settle(SETTLE_S)
        for delivery in self.sink.deliveries[known:]:
            alerts = delivery.payload["alerts"]
            self.pages.append(
                Page(
                    night=self.night,
                    at=self.house.clock.now().isoformat(timespec="minutes"),
                    reason=delivery.payload["reason"],
                    group=delivery.payload["group"]["id"],
                    rules=tuple(sorted({alert["rule"] for alert in alerts if alert["state"] == "firing"})),
                    states={alert["id"]: alert["state"] for alert in alerts},
                )
            )

    def _serve(self, snapshot: str) -> None:
        self.serving = snapshot
        body = {"snapshot": snapshot, "resample": self.plan.resample}
        httpx.post(f"http://127.0.0.1:{self.port}/_snapshot", json=body).raise_for_status()

    def _post(self, path: str, body: dict[str, Any]) -> None:
        self.house.api.post(f"/api/v1/{path}", json=body).raise_for_status()


@contextmanager
def soaking(folder: Path, plan: Plan) -> Iterator[Soak]:
    """Start the daemon of a plan, with one frozen set of prime and composite numbers in equal parts."""
    with (
        AlertSink() as sink,
        daemon(folder, webhook_url=f"{sink.address}/{RECEIVER}", sets=_only_frozen, deployments=_of_one_set) as house,
    ):
        port = httpx.URL(house.endpoint.address).port
        assert port is not None
        soak = Soak(plan=plan, house=house, sink=sink, endpoint=house.endpoint, port=port)
        soak._serve(OLD)
        of_category = {name: [q for q in house.data.questions if q.category == name] for name in ("prime", "composite")}
        chosen = [q for questions in of_category.values() for q in questions[: plan.cases // 2]]
        soak._post("sets", {"name": FROZEN, "cases": [as_case(question) for question in chosen]})
        try:
            yield soak
        finally:
            soak.endpoint.stop()


def _only_frozen(sections: dict[str, Any]) -> dict[str, Any]:
    return {FROZEN: sections[FROZEN]}


def _of_one_set(sections: dict[str, Any]) -> dict[str, Any]:
    return {name: section | {"sets": [FROZEN]} for name, section in sections.items()}
