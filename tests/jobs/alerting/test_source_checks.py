"""Kafka sources and the database through the real check loop and the store."""

from dataclasses import dataclass
from pathlib import Path

from monitor.alerting.advance import advance
from monitor.alerting.message import payload
from monitor.alerting.render import text
from monitor.clock import SystemClock
from monitor.domain.alert import AlertState, NotifyReason
from monitor.domain.finding import Finding, Verdict
from monitor.domain.policy import AlertPolicy, Policy
from monitor.jobs.alerting.check_loop import CheckLoop
from monitor.jobs.alerting.source_checks import DatabaseCheck, SourceCheck
from monitor.store.engine import losses
from monitor.store.engine.commit_mark import mark_of
from monitor.store.engine.database import Store
from monitor.store.findings import findings
from monitor.store.traffic import interactions
from tests.store.build import interaction

ALERTS = AlertPolicy(for_s=0, repeat_s=60, receivers=(), dashboard_url=None, backoff_s=1, max_pause_s=1)
POLICY = Policy(deployments={}, sets={}, schedules={}, alerts=ALERTS)


@dataclass
class FakeSource:
    """A source whose health the test sets."""

    name: str = "kafka-calls"
    why: str | None = None
    progressing: bool = True

    @property
    def recovered(self) -> str:
        return f"{self.name} reads again"

    def trouble(self) -> str | None:
        return self.why


def unalerted(store: Store) -> list[Finding]:
    with store.read() as tx:
        return findings.unalerted(tx)


def loop_of(store: Store, check: SourceCheck | DatabaseCheck) -> CheckLoop:
    # The clock is a real one, and the conditions are due at each step.
    check.every_s = 0.0
    return CheckLoop(store=store, policy=POLICY, clock=SystemClock(), checks=[check])


def test_trouble_is_reported_once_until_it_is_over_and_a_restart_in_between_reports_nothing(tmp_path: Path) -> None:
    clock = SystemClock()
    store = Store.open(tmp_path / "driftd.duckdb", clock=clock)
    source = FakeSource()
    loop = loop_of(store, SourceCheck([source]))
    assert loop.step() == 0
    source.why = "it stopped: a reason"
    assert [loop.step(), loop.step()] == [1, 0]
    source.why, source.progressing = None, False  # restarted, and not yet known to be healthy
    assert loop_of(store, SourceCheck([source])).step() == 0
    source.progressing = True
    assert [loop.step(), loop.step()] == [1, 0]
    found = unalerted(store)
    assert [(f.verdict, f.rule, f.severity, f.subject.name, f.reason) for f in found] == [
        (Verdict.REGRESSION, "KafkaStalled", "critical", "kafka-calls", "it stopped: a reason"),
        (Verdict.OK, "KafkaStalled", "info", "kafka-calls", "kafka-calls reads again"),
    ]
    opened = advance(None, found[0], ALERTS, clock.now(), "alert-1")
    assert opened is not None
    assert (opened.state, opened.rule, opened.source) == (AlertState.FIRING, "KafkaStalled", "kafka-calls")
    body = payload(opened, found[0], reason=NotifyReason.FIRST, policy=ALERTS, from_label=None, to_label=None)
    assert "it stopped: a reason" in text(body)
    closed = advance(opened, found[1], ALERTS, clock.now(), "alert-2")
    assert closed is not None
    assert closed.state is AlertState.RESOLVED
    store.close()


def test_a_source_that_is_no_longer_configured_clears(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "driftd.duckdb", clock=SystemClock())
    loop_of(store, SourceCheck([FakeSource(why="it stopped")])).step()
    assert loop_of(store, SourceCheck([])).step() == 1
    assert unalerted(store)[-1].verdict is Verdict.OK
    store.close()


def test_missing_rows_raise_an_alert_until_somebody_acknowledges_them(tmp_path: Path) -> None:
    path, clock = tmp_path / "driftd.duckdb", SystemClock()
    store = Store.open(path, clock=clock)
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    assert loop_of(store, DatabaseCheck(store)).step() == 0
    store.close()
    mark_of(path).unlink()
    store = Store.open(path, clock=clock)
    loop = loop_of(store, DatabaseCheck(store))
    assert [loop.step(), loop.step()] == [1, 0]
    with store.write() as tx:
        losses.acknowledge(tx, who="anna", note=None, now=clock.now())
    assert [loop.step(), loop.step()] == [1, 0]
    found = unalerted(store)
    store.close()
    assert [(one.verdict, one.rule, one.subject.name) for one in found] == [
        (Verdict.REGRESSION, "DatabaseRowsMissing", "database"),
        (Verdict.OK, "DatabaseRowsMissing", "database"),
    ]
    assert "driftd db acknowledge" in found[0].reason
