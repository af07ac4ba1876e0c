"""The write lock, and the state that it protects."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from monitor.store.engine.change_log import Journal


@dataclass(slots=True, kw_only=True)
class WriteLock:
    """`lock` is held from BEGIN to COMMIT of a write and during a checkpoint. Check-and-insert relies on it."""

    last_write_s: float  # monotonic time
    last_checkpoint_s: float  # monotonic time; automatic checkpoints of DuckDB are not counted
    written: Mapping[str, int] = field(default_factory=dict)  # see Store.written; a change replaces it
    unsaved: bool = True  # a start may have replayed a log or migrated, so the first idle minute checkpoints
    journal: Journal | None = None  # during a compaction: the committed changes
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, tables: Iterable[str]) -> None:
        """Count a committed write of the tables. The holder of `lock` calls it."""
        self.written = {**self.written, **{table: self.written.get(table, 0) + 1 for table in tables}}
