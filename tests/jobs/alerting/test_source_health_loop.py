from dataclasses import dataclass
from pathlib import Path

from monitor.alerting.advance import advance
from monitor.alerting.message import payload
from monitor.alerting.text import text
from monitor.clock import SystemClock
from monitor.domain.alert import AlertState, NotifyReason
from monitor.domain.finding import Finding, Verdict
from monitor.domain.policy import AlertPolicy
from monitor.jobs.alerting.source_health_loop import SourceLoop
from monitor.store.engine.database import Store
from monitor.store.findings import findings


@dataclass
class FakeSource:
    """A source whose health the test sets."""

    name: str = "kafka-calls"
    rule: str = "KafkaStalled"
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


def test_trouble_is_told_once_until_it_is_over_and_a_restart_in_between_tells_nothing(tmp_path: Path) -> None:
    clock = SystemClock()
    store = Store.open(tmp_path / "driftd.duckdb", clock=clock)
    source = FakeSource()
    loop = SourceLoop(store=store, sources=[source], clock=clock)
    assert loop.step() == 0
    source.why = "it stopped: a reason"
    assert [loop.step(), loop.step()] == [1, 0]
    source.why, source.progressing = None, False  # restarted, and not yet known to be healthy
    assert SourceLoop(store=store, sources=[source], clock=clock).step() == 0
    source.progressing = True
    assert [loop.step(), loop.step()] == [1, 0]
    found = unalerted(store)
    assert [(f.verdict, f.subject.name, f.reason) for f in found] == [
        (Verdict.REGRESSION, "kafka-calls", "it stopped: a reason"),
        (Verdict.OK, "kafka-calls", "kafka-calls reads again"),
    ]
    policy = AlertPolicy(for_s=0, repeat_s=60, receivers=(), dashboard_url=None, backoff_s=1, max_pause_s=1)
    opened = advance(None, found[0], policy, clock.now(), "alert-1")
    assert opened is not None
    assert (opened.state, opened.source, opened.set_name, opened.series) == (
        AlertState.FIRING,
        "kafka-calls",
        None,
        None,
    )
    body = payload(opened, found[0], reason=NotifyReason.FIRST, policy=policy, from_label=None, to_label=None)
    assert text(body).splitlines()[0] == "FIRING · critical · driftd · source kafka-calls"
    assert "it stopped: a reason" in text(body)
    closed = advance(opened, found[1], policy, clock.now(), "alert-2")
    assert closed is not None
    assert closed.state is AlertState.RESOLVED
    store.close()
