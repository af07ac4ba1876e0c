from pathlib import Path

from monitor.clock import SystemClock
from monitor.domain.finding import Verdict
from monitor.jobs.alerting.database_health import DatabaseSource
from monitor.jobs.alerting.source_health_loop import SourceLoop
from monitor.store.engine import losses
from monitor.store.engine.commit_mark import mark_of
from monitor.store.engine.database import Store
from monitor.store.findings import findings
from monitor.store.traffic import interactions
from tests.store.build import interaction


def test_missing_rows_raise_an_alert_until_somebody_acknowledges_them(tmp_path: Path) -> None:
    path, clock = tmp_path / "driftd.duckdb", SystemClock()
    store = Store.open(path, clock=clock)
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    assert DatabaseSource(store).trouble() is None
    store.close()
    mark_of(path).unlink()
    store = Store.open(path, clock=clock)
    source = DatabaseSource(store)
    loop = SourceLoop(store=store, sources=[source], clock=clock)
    assert [loop.step(), loop.step()] == [1, 0]
    with store.write() as tx:
        losses.acknowledge(tx, who="anna", note=None, now=clock.now())
    assert [loop.step(), loop.step()] == [1, 0]
    with store.read() as tx:
        found = findings.unalerted(tx)
    store.close()
    assert [(one.verdict, one.subject.name) for one in found] == [
        (Verdict.REGRESSION, "database"),
        (Verdict.OK, "database"),
    ]
    assert "driftd db acknowledge" in found[0].reason
