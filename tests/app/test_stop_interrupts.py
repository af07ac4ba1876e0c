"""A stop interrupts long queries, so that requests and loops do not delay it."""

from pathlib import Path

from monitor.errors import ReadInterrupted
from tests.app.house import daemon
from tests.store.engine.test_interruption import Reader


def test_a_stop_ends_a_query_that_would_take_hours(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        reader = Reader(house.app.store)
        house.app.stop()
    reader.thread.join(30)
    assert isinstance(reader.error, ReadInterrupted)
