"""Send SIGKILL during an incident: every firing and every resolution of an alert reaches every receiver.

The incident continues over all kills. Findings of six sets, two changes and no change are written to the file while the
daemon is down, in place of the nights that would decide them. Everything after them is real: the loops of the daemon,
persons at its API, and two webhook receivers that answer 503 at times.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Timer
from time import monotonic, sleep
from typing import Any

import httpx

from monitor.clock import SystemClock
from monitor.domain.alert import AlertState
from monitor.domain.finding import Verdict
from monitor.domain.run import new_id
from monitor.store.engine.database import Store
from monitor.store.engine.transaction import Tx
from monitor.store.findings import alerts, findings
from tests.kills.alert_sink import RECEIVERS, AlertSink
from tests.kills.file import rows_of
from tests.kills.process import DEPLOYMENT, Daemon
from tests.store.build import finding

SETS = {"a": "change-1", "b": "change-1", "c": "change-1", "d": "change-2", "e": "change-2", "f": None}
EARLY = 0.2  # share of kills that come while the daemon is still starting
AWAY = 0.25  # share of starts at which the receivers answer 503
PAUSE_S = 0.15  # between two actions of persons
PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    number: int
    at: str  # "starting" or "at work"
    after_s: float
    delivered: int
    turned_away: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """The deliveries of all receivers, compared with the file at the end."""

    kills: int
    alerts: int  # that fired
    by_reason: dict[str, int]  # deliveries
    deliveries: int
    turned_away: int  # with 503
    actions: int  # of persons, that the API confirmed
    firings_lost: int  # an alert that fired, and a receiver that never learned of it
    resolutions_lost: int  # an alert that resolved, and a receiver for which it still fires
    actions_lost: int
    twice: int  # deliveries of a notification that its receiver had accepted already
    same_meaning: int  # other notifications with the content of an earlier one

    @property
    def duplicates(self) -> float:
        """Return the share of the deliveries that were one too many."""
        return (self.twice + self.same_meaning) / self.deliveries if self.deliveries else 0.0

    @property
    def complete(self) -> bool:
        """Return whether alerts fired, and nothing of them is lost."""
        return self.alerts > 0 and not self.firings_lost + self.resolutions_lost + self.actions_lost

    @property
    def holds(self) -> bool:
        return self.complete and self.duplicates < 0.02


@dataclass(slots=True)
class Incident:
    """The persons and the nights around one daemon."""

    daemon: Daemon
    sink: AlertSink
    rng: Random
    confirmed: list[tuple[str, str]] = field(default_factory=list)  # alert, event

    def nights(self) -> None:
        """Write up to three findings. The daemon is down. An alert ends only after every receiver knows of it."""
        rng, known = self.rng, set(self.sink.firing())
        with _opened(self.daemon) as store:
            for name in rng.sample(sorted(SETS), rng.choice((0, 1, 2, 3))):
                with store.write() as tx:
                    open_ = alerts.open_of_set(tx, DEPLOYMENT, name)
                    if open_ is None or rng.random() < 0.3:
                        verdict, severity = Verdict.REGRESSION, rng.choice(("warning", "critical"))
                    elif open_.id in known:
                        verdict, severity = Verdict.OK, "info"
                    else:
                        continue
                    insert_finding(tx, name, verdict, severity)

    def resolve_all(self) -> None:
        """A person resolves every open alert."""
        for row in self.daemon.get("alerts", state="open", limit="500")["items"]:
            self._order(row["id"], "resolve", "resolved")

    def live_until_killed(self) -> None:
        """Persons acknowledge and resolve alerts, and the receivers may come back, until the daemon is killed."""
        while self.daemon.alive:
            sleep(self.rng.uniform(0, 2 * PAUSE_S))
            if self.rng.random() < 0.3:
                self.sink.away = False
            if known := self.sink.firing():
                self._act(self.rng.choice(known))

    def _act(self, alert: str) -> None:
        action, event = self.rng.choice(
            [("acknowledge", "acknowledged")] * 2 + [("unacknowledge", "unacknowledged")] + [("resolve", "resolved")]
        )
        self._order(alert, action, event)

    def _order(self, alert: str, action: str, event: str) -> None:
        try:
            answer = self.daemon.http.post(f"{self.daemon.api}/api/v1/alerts/{alert}/{action}", json={})
        except httpx.TransportError:  # the kill came first: the person does not know whether it was stored
            return
        if answer.status_code == httpx.codes.OK:
            self.confirmed.append((alert, event))
        else:
            assert answer.status_code == httpx.codes.CONFLICT, answer.text

    def wait(self, done: Callable[[], bool], what: str) -> None:
        until = monotonic() + PATIENCE_S
        while not done():
            assert monotonic() < until, f"{what}: not within {PATIENCE_S:.0f} s\n{self.daemon.log[-3000:]}"
            sleep(0.05)

    def all_announced(self) -> bool:
        """Return whether every receiver knows every open alert that nobody has acknowledged."""
        page = self.daemon.get("alerts", state="open", limit="500")["items"]
        known = [self.sink.states(receiver) for receiver in RECEIVERS]
        return all(row["id"] in states for row in page if not row["acknowledged_at"] for states in known)

    def is_over(self) -> bool:
        if self.daemon.get("alerts", state="open")["items"]:
            return False
        return not any(states[-1] == "firing" for name in RECEIVERS for states in self.sink.states(name).values())


def alert_kills(
    folder: Path, *, kills: int, seed: int, longest_s: float = 1.5, report: Callable[[Kill], None] = lambda _: None
) -> Delivered:
    """Kill the daemon at random instants, up to `longest_s` seconds after it answers. Then let the incident end."""
    rng = Random(seed)
    with AlertSink() as sink, Daemon(folder=folder, model_url="http://127.0.0.1:9/v1", more=sink.settings) as daemon:
        incident = Incident(daemon, sink, rng)
        for number in range(1, kills + 1):
            if rng.random() < 0.7:  # else the daemon itself recovers what the kill left
                incident.nights()
            report(_kill(incident, number, longest_s))
        sink.away = False
        daemon.start()
        daemon.wait_ready()
        incident.wait(incident.all_announced, "every receiver knows every open alert")
        incident.resolve_all()
        incident.wait(incident.is_over, "every receiver knows that every alert is resolved")
        assert daemon.stop() == 0
        with rows_of(daemon.file) as rows:
            fired = rows.all("SELECT id, state FROM alert WHERE fired_at IS NOT NULL")
            events = Counter(rows.all("SELECT alert_id, kind FROM alert_event"))
    return judged(kills, fired, events, incident)


def _kill(incident: Incident, number: int, longest_s: float) -> Kill:
    rng, daemon = incident.rng, incident.daemon
    early = rng.random() < EARLY
    incident.sink.away = rng.random() < AWAY
    daemon.start()
    if not early:
        daemon.wait_ready()
    before = monotonic()
    timer = Timer(rng.uniform(0.0, 1.5 if early else longest_s), daemon.kill)
    timer.start()
    if not early:
        incident.live_until_killed()
    timer.join()
    return Kill(
        number=number,
        at="starting" if early else "at work",
        after_s=monotonic() - before,
        delivered=len(incident.sink.deliveries),
        turned_away=incident.sink.turned_away,
    )


def judged(kills: int, fired: list[tuple[Any, ...]], events: Counter[tuple[Any, ...]], incident: Incident) -> Delivered:
    sink = incident.sink
    known = [sink.states(receiver) for receiver in RECEIVERS]
    unique = {(one.receiver, one.id): one for one in sink.deliveries}
    confirmed = Counter(incident.confirmed)
    resolved = [id_ for id_, state in fired if state == AlertState.RESOLVED]
    return Delivered(
        kills=kills,
        alerts=len(fired),
        by_reason=dict(sorted(Counter(one.payload["reason"] for one in sink.deliveries).items())),
        deliveries=len(sink.deliveries),
        turned_away=sink.turned_away,
        actions=confirmed.total(),
        firings_lost=sum("firing" not in states.get(id_, ()) for id_, _ in fired for states in known),
        resolutions_lost=sum(states.get(id_, ["unknown"])[-1] != "resolved" for id_ in resolved for states in known),
        actions_lost=sum(max(0, count - events[order]) for order, count in confirmed.items()),
        twice=len(sink.deliveries) - len(unique),
        same_meaning=len(unique) - len({one.meaning for one in unique.values()}),
    )


def _opened(daemon: Daemon) -> closing[Store]:
    return closing(Store.open(daemon.file, clock=SystemClock()))


def insert_finding(tx: Tx, name: str, verdict: Verdict, severity: str) -> None:
    now = SystemClock().now()
    change = SETS[name]
    findings.insert(
        tx,
        finding(
            new_id("finding", now),
            set_name=name,
            verdict=verdict,
            severity=severity,
            at=now,
            change_id=change,
            reason=f"{name} is {verdict}",
        ),
    )
