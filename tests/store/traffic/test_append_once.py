"""Each call is stored once, whatever ids are in memory; compared with a list of all rows."""

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.domain.interaction import Interaction
from monitor.errors import StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.traffic import interactions
from tests.store.build import HandClock, at, interaction

MARGIN = interactions.RESEND_MARGIN
moments = st.sampled_from([*range(8), 5_000, 10_000_000])  # hours late, and a clock that is months ahead
calls = st.tuples(st.integers(0, 9).map(str), moments)
steps = st.one_of(
    st.lists(calls, min_size=1, max_size=6, unique_by=lambda call: call[0]),
    st.sampled_from(["reopen", "roll back", "compaction"]),
)


class Everything:
    """The expected rows."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, datetime]] = []

    def take(self, batch: list[Interaction]) -> int:
        """Return how many rows are new: a known row has its id and a time near those of the batch."""
        times = [call.started_at for call in batch]
        since, until = min(times) - MARGIN, max(times) + MARGIN
        known = {one for one, when in self.rows if since <= when <= until}
        new = [(call.id, call.started_at) for call in batch if call.id not in known]
        self.rows += new
        return len(new)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, max_size=12))
def test_a_call_is_stored_once_in_any_order_of_steps(result: list[list[tuple[str, int]] | str]) -> None:
    with TemporaryDirectory() as folder:
        path, everything = Path(folder) / "driftd.duckdb", Everything()
        store = Store.open(path, clock=HandClock())
        for step in result:
            if isinstance(step, list):
                batch = [interaction(one, started_at=at(second), received_at=at(8)) for one, second in step]
                with store.write() as tx:
                    assert interactions.insert(tx, batch).accepted == everything.take(batch)
            elif step == "roll back":
                with suppress(ZeroDivisionError), store.write() as tx:
                    interactions.insert(tx, [interaction("5", started_at=at(3), received_at=at(8))])
                    _ = 1 // 0
            elif step == "compaction":
                store.compact(lambda _tx: None)
            else:
                store.close()
                store = Store.open(path, clock=HandClock())
        with store.read() as tx:
            assert interactions.count(tx) == len(everything.rows)
        store.close()


def test_after_an_error_of_duckdb_the_next_write_has_a_cursor_of_its_own(store: Store) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    with pytest.raises((duckdb.Error, StoreUnavailable)), store.write() as tx:
        tx._cursor.execute("SELECT * FROM no_such_table")
    with store.write() as tx:
        result = interactions.insert(tx, [interaction("a"), interaction("b", started_at=at(0) + timedelta(seconds=1))])
    assert result == interactions.Inserted(accepted=1, duplicates=1)
