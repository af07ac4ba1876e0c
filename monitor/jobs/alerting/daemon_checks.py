"""Reads the traffic, the ingest counts and the disk of the running daemon."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType

from monitor.alerting.checks import disk, ingest, traffic
from monitor.alerting.checks.condition import Condition
from monitor.alerting.checks.receivers import receiver_condition
from monitor.alerting.notify.base import FailingPeer
from monitor.domain.check_policy import CheckPolicy
from monitor.domain.policy import Policy
from monitor.ingest.intake import Intake
from monitor.store.engine.database import Store
from monitor.store.engine.disk_reserve import DiskReserve
from monitor.store.findings import alerts
from monitor.store.traffic import arrivals


class IngestCheck:
    """Reads the counts of the last minutes. They start at zero in each process."""

    rules = ingest.RULES
    every_s = 15.0
    follows_runs = False

    def __init__(self, intake: Intake, totals: Callable[[float], ingest.IngestTotals], policy: CheckPolicy) -> None:
        self._intake, self._totals, self._policy = intake, totals, policy

    def conditions(self, now: datetime) -> Iterator[Condition]:
        del now
        totals = self._totals(self._policy.ingest_window_s)
        yield from ingest.ingest_conditions(totals, self._intake.rows, self._intake.capacity, self._policy)


class DiskCheck:
    """Reads the free space of the disk of the store, and whether it has space for new records."""

    rules = (disk.RULE, disk.PAUSED)
    every_s = 5.0
    follows_runs = False

    def __init__(self, folder: Path, reserve: DiskReserve, policy: CheckPolicy) -> None:
        self._folder, self._reserve, self._policy = folder, reserve, policy

    def conditions(self, now: datetime) -> Iterator[Condition]:
        del now
        space, refusal = self._reserve.space, self._reserve.refusal()
        yield disk.disk_condition(str(self._folder), space.free, space.total, self._policy)
        yield disk.paused_condition(str(self._folder), None if refusal is None else str(refusal))


class TrafficCheck:
    """Reads the arrivals of each deployment by hour. Complete hours do not change, so each is read once."""

    rules = (traffic.RULE,)
    every_s = 300.0
    follows_runs = False

    def __init__(self, store: Store, policy: Policy) -> None:
        self._store, self._policy = store, policy
        self._began: datetime | None = None
        self._known: dict[str, dict[int, int]] = {}  # by deployment and hour since 1970-01-01
        self._until: int | None = None  # the first hour that is not read

    def conditions(self, now: datetime) -> Iterator[Condition]:
        self._began = self._began or now
        end = int(now.timestamp() // HOUR_S)
        uptime_h = (now - self._began).total_seconds() / HOUR_S
        if uptime_h >= 1:  # a command that ends within seconds must not count five weeks of calls
            self._read(end)
        for name in self._policy.deployments:
            calls = self._known.get(name, {})
            first = min(calls, default=end)
            counts = [calls.get(hour, 0) for hour in range(first, end)]
            yield traffic.traffic_condition(name, counts, uptime_h, self._policy.alerts.checks)

    def _read(self, end: int) -> None:
        oldest = end - (traffic.WEEKS + 1) * traffic.WEEK
        since = max(oldest, self._until if self._until is not None and self._until <= end else oldest)
        if since < end:
            with self._store.read() as tx:
                for name, hours in arrivals.by_hour(tx, _at(since), _at(end)).items():
                    self._known.setdefault(name, {}).update(hours)
        self._until = end
        self._known = {
            name: {hour: calls for hour, calls in hours.items() if oldest <= hour < end}
            for name, hours in self._known.items()
        }


HOUR_S = 3600.0
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _at(hour: int) -> datetime:
    return EPOCH + timedelta(hours=hour)


class ReceiverCheck:
    """Reports receivers that do not accept notifications, through the other receivers."""

    rules = ("ReceiverFailing",)
    every_s = 15.0
    follows_runs = False

    def __init__(
        self,
        store: Store,
        receivers: Sequence[str],
        failing_peers: Mapping[str, Callable[[], Sequence[FailingPeer]]] = MappingProxyType({}),
    ) -> None:
        """`failing_peers` returns the servers that fail, by name of a receiver with several servers."""
        self._store, self._receivers, self._failing_peers = store, receivers, failing_peers

    def conditions(self, now: datetime) -> Iterator[Condition]:
        with self._store.read() as tx:
            waiting = {row.receiver: row for row in alerts.undelivered(tx)}
        for name in self._receivers:
            row = waiting.get(name)
            yield receiver_condition(
                name,
                queued=row.count if row else 0,
                attempts=row.attempts if row else 0,
                refused=row.refused if row else False,
                since=row.since if row else None,
                error=row.error if row else None,
                now=now,
                peers=self._failing_peers[name]() if name in self._failing_peers else (),
            )
