"""The lock of writes, and what it protects."""

import threading
from dataclasses import dataclass, field

from monitor.store.engine.change_log import Journal


@dataclass(slots=True, kw_only=True)
class WriteLock:
    """`lock` is held from BEGIN to COMMIT of a write and during a checkpoint; check-and-insert relies on it."""

    last_write_s: float  # by the monotonic clock
    last_checkpoint_s: float  # the same; of those that DuckDB makes by itself when the log is long none is
    unsaved: bool = True  # opening may have replayed a log or migrated: the first quiet minute checkpoints
    journal: Journal | None = None  # of a compaction at work: what is written meanwhile
    lock: threading.Lock = field(default_factory=threading.Lock)
