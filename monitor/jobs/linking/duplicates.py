"""Merges the reports of one call within a trace, in whatever order they arrived: one report is kept, the others fill
its gaps.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from monitor.domain.filling import gaps, with_note
from monitor.domain.interaction import Interaction
from monitor.domain.trace_calls import Source, TraceCalls, trace_calls
from monitor.store.engine.database import Store
from monitor.store.engine.transaction import Row, Tx
from monitor.store.traffic import trace_calls as store
from monitor.store.traffic.filled_calls import own_call, write_filled
from monitor.store.traffic.trace_calls import Size, TraceReports

GRACE: Final = timedelta(minutes=10)  # the longest time between the arrivals of two spans of a trace
TOGETHER: Final = 500  # traces whose rows are in memory at once
REMEMBERED: Final = 100_000  # traces whose size at the last step is in memory

Identify = Callable[[Interaction], str | None]


class DuplicateStep:
    """Processes the traces that grew since the last step, and writes the differences."""

    def __init__(self, store_: Store, identify: Identify, *, together: int = TOGETHER) -> None:
        self._store, self._identify, self._together = store_, identify, together
        self._sizes: dict[str, Size] = {}

    def changed_traces(self, tx: Tx, now: datetime, since: datetime) -> dict[str, Size]:
        """Return the traces that received rows. Call this before texts are joined: joined texts no longer wait."""
        found = store.changed_traces(tx, since=since, calls_since=now - GRACE)
        return {trace: size for trace, size in found.items() if self._sizes.get(trace) != size}

    def join(self, traces: Mapping[str, Size], now: datetime) -> int:
        """Merge reports, and return the number of calls that changed."""
        ids = list(traces)
        pieces = [ids[place : place + self._together] for place in range(0, len(ids), self._together)]
        written = sum(self._join(piece, now) for piece in pieces)
        self._remember(traces)
        return written

    def _join(self, traces: Sequence[str], now: datetime) -> int:
        calls_since = now - GRACE
        with self._store.read() as tx:
            kept_now = store.reports_of(tx, traces, calls_since=calls_since)
            found = [(one, trace_calls(one.reports, one.links)) for one in kept_now]
            moves = {id_: kept for one, calls in found for id_, kept in moved(one, calls).items()}
            rows, filled = self._filled(tx, found)
        written = 0
        if moves or filled:
            with self._store.write() as tx:
                written = write_filled(tx, rows, filled) if filled else 0
                if moves:
                    written += store.set_kept_reports(tx, moves, calls_since=calls_since, since=now - 2 * GRACE)
        return written

    def _remember(self, traces: Mapping[str, Size]) -> None:
        if len(self._sizes) + len(traces) > REMEMBERED:
            self._sizes.clear()
        self._sizes.update(traces)

    def _filled(
        self, tx: Tx, found: Sequence[tuple[TraceReports, TraceCalls]]
    ) -> tuple[dict[str, Row], list[Interaction]]:
        """Return the calls with the values that fill them, and the calls that are no longer filled."""
        sources: dict[str, Sequence[Source]] = {k: of for _, calls in found for k, of in calls.sources.items()}
        wanted = {id_ for one, _ in found for id_ in one.filled} | sources.keys()
        if not wanted:
            return {}, []
        rows = store.rows_of(tx, sorted(wanted | {source.id for of in sources.values() for source in of}))
        kept = [id_ for id_ in sorted(wanted) if id_ in rows]
        return rows, [self._with(rows, id_, sources.get(id_, ())) for id_ in kept]

    def _with(self, rows: Mapping[str, Row], id_: str, sources: Iterable[Source]) -> Interaction:
        own = call = own_call(rows[id_])
        for source in sources:
            if source.id not in rows:
                continue
            other = own_call(rows[source.id])
            call = with_note(call, other) if source.note else replace(call, **gaps(call, other))
        return call if call is own else replace(call, identity=self._identify(call))


def moved(one: TraceReports, calls: TraceCalls) -> dict[str, str | None]:
    """Return the reports whose kept report changed, with the new one; None for a report that counts by itself.

    The kept report may itself be a duplicate of a call in another trace. Then the duplicates of this trace refer to
    that call.
    """
    ids = {report.id for report in one.reports}
    elsewhere = {id_: kept for id_, kept in one.kept_in.items() if kept not in ids}
    filling = {source.id: kept for kept, of in calls.sources.items() for source in of}
    for id_, kept in filling.items():
        if id_ in elsewhere:
            elsewhere.setdefault(kept, elsewhere[id_])
    found: dict[str, str | None] = {}
    for report in one.reports:
        kept_here = calls.kept_in.get(report.id, report.id)
        kept = elsewhere.get(kept_here, kept_here)
        kept_now = None if kept == report.id else kept
        if kept_now != one.kept_in.get(report.id):
            found[report.id] = kept_now
    return found
