"""Kill a change of calls at lines of its code and check the file: `python -m tests.store.kill_revision FOLDER`.

Each attempt is a process of its own, forked before DuckDB has any thread. Prints one JSON document.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from monitor.store.engine import losses
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.maintenance.fold import any_fact
from monitor.store.traffic import interactions
from monitor.store.traffic.trace_calls import set_kept_reports
from tests.store.build import HandClock, at, interaction
from tests.store.kill_compaction import in_a_fork
from tests.store.kill_fold import count_lines

CALLS = 12
ATTEMPTS = 16
OURS = tuple(
    f"{name}.py"
    for name in ("traffic/call_revisions", "maintenance/fold", "engine/file_store", "engine/transaction", "watermark")
)
KEPT = {f"{n:02}": f"{n + 1:02}" for n in range(0, CALLS, 2)}


def prepare(path: Path) -> None:
    """Write calls to the file, and more to its log."""
    clock = HandClock()
    store = Store.open(path, clock=clock)
    for first in (0, CALLS // 2):
        with store.write() as tx:
            interactions.insert(tx, [interaction(f"{n:02}") for n in range(first, first + CALLS // 2)])
        clock.seconds += 60
        if first == 0:
            assert store.checkpoint_when_idle()
    os._exit(0)


def change(path: Path, kill_at: int | None) -> int:
    """Set the kept reports; the process is killed at the given line. Return the number of executed lines."""
    store = Store.open(path, clock=HandClock())

    def work() -> None:
        with store.write() as tx:
            set_kept_reports(tx, KEPT, calls_since=at(0), since=at(0))

    return count_lines(work, OURS, kill_at)


def look(path: Path) -> dict[str, Any]:
    """Return the state that the next start finds."""
    store = Store.open(path, clock=HandClock())
    with store.read() as tx:
        calls = interactions.page(tx, PageQuery(limit=100)).items
        found = {"facts": any_fact(tx), "losses": [loss.sentence for loss in losses.unacknowledged(tx)]}
    kept = sorted((call.id, call.duplicate_of) for call in calls if call.duplicate_of)
    found |= {"rows": sorted(call.id for call in calls), "kept": kept}
    store.close()
    return found


def attempt(original: Path, folder: Path, kill_at: int | None) -> dict[str, Any]:
    shutil.copytree(original, folder)
    path = folder / "driftd.duckdb"
    passed = in_a_fork(lambda: change(path, kill_at))
    return {"at": kill_at, "passed": passed, **in_a_fork(lambda: look(path))}


def main(folder: Path) -> None:
    original = folder / "original"
    original.mkdir()
    if os.fork() == 0:
        prepare(original / "driftd.duckdb")
    os.wait()
    shutil.copytree(original, folder / "before")
    before = in_a_fork(lambda: look(folder / "before" / "driftd.duckdb"))
    whole = attempt(original, folder / "whole", None)
    attempts = [
        attempt(original, folder / str(n), n) for n in range(0, whole["passed"], max(1, whole["passed"] // ATTEMPTS))
    ]
    sys.stdout.write(json.dumps({"before": before, "whole": whole, "attempts": attempts}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
