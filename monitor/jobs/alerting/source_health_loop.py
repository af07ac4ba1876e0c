"""Writes a finding when a source of records stalls, and another when it recovers."""

import logging
from collections.abc import Sequence
from typing import Protocol

from monitor.clock import Clock
from monitor.domain.finding import Finding, ReadSource, Verdict
from monitor.domain.run import new_id
from monitor.store.engine.database import Store
from monitor.store.findings import findings
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
DEPLOYMENT = "driftd"  # whose findings these are: a source may feed every deployment


class HealthSource(Protocol):
    """A source that reports its own health."""

    name: str
    rule: str

    @property
    def recovered(self) -> str:
        """Return the summary of the finding that reports the recovery."""

    def trouble(self) -> str | None: ...

    @property
    def progressing(self) -> bool: ...


class SourceLoop:
    """Reports an unhealthy source as a regression until it reads again. The findings store the last reported state."""

    name = "sources"
    poll_s = 2.0

    def __init__(
        self, *, store: Store, sources: Sequence[HealthSource], clock: Clock, telemetry: Recorder = NO_TELEMETRY
    ) -> None:
        self._store, self._sources, self._clock, self._telemetry = store, sources, clock, telemetry

    def step(self) -> int:
        return sum(self._check(source) for source in self._sources)

    def _check(self, source: HealthSource) -> int:
        trouble = source.trouble()
        with self._store.read() as tx:
            last = findings.newest_of_source(tx, source.name)
        is_open = last is not None and last.verdict is Verdict.REGRESSION
        if is_open == (trouble is not None) or (trouble is None and not source.progressing):
            return 0
        now = self._clock.now()
        finding = Finding(
            id=new_id("finding", now),
            deployment=DEPLOYMENT,
            at=now,
            signal="source",
            segment="overall",
            subject=ReadSource(source=source.name),
            verdict=Verdict.OK if trouble is None else Verdict.REGRESSION,
            severity="info" if trouble is None else "critical",
            reason=trouble or source.recovered,
            alpha=0.0,
            rule=source.rule,
        )
        with self._store.write() as tx:
            findings.insert(tx, finding)
        log.info("finding %s: %s: %s", finding.id, source.name, finding.reason)
        self._telemetry.count("driftd.findings", 1, {"deployment": DEPLOYMENT, "verdict": finding.verdict.value})
        return 1
