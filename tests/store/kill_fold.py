"""Kill a fold at lines of its code and check the file: `python -m tests.store.kill_fold FOLDER`.

Each attempt is a process of its own, forked before DuckDB has any thread. Prints one JSON document.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from monitor.domain.feedback import Link, LinkMethod
from monitor.jobs.maintenance.fold_loop import FoldLoop
from monitor.store.engine import losses
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.maintenance.fold import any_fact
from monitor.store.traffic import feedback
from tests.store.build import HandClock, at
from tests.store.build import feedback as made
from tests.store.kill_compaction import in_a_fork

SIGNALS = 12
ATTEMPTS = 16
OURS = tuple(
    f"{name}.py"
    for name in (
        "jobs/maintenance/fold_loop",
        "maintenance/fold",
        "engine/file_store",
        "engine/transaction",
        "watermark",
    )
)


def prepare(path: Path) -> None:
    """Write signals to the file, and facts about them to its log."""
    clock = HandClock()
    store = Store.open(path, clock=clock)
    with store.write() as tx:
        feedback.insert(tx, [made(f"{n:02}", revisable=True) for n in range(SIGNALS)])
    clock.seconds += 60
    assert store.checkpoint_when_idle()
    with store.write() as tx:
        ids = [f"{n:02}" for n in range(0, SIGNALS, 2)]
        feedback.set_links(tx, [Link(feedback_id=id_, interaction_id="i", method=LinkMethod.SPAN) for id_ in ids])
    with store.write() as tx:
        feedback.insert(tx, [made(f"{n:02}", at=at(1), value=1.0, revisable=True) for n in range(0, SIGNALS, 3)])
        feedback.retract(tx, ["00", "01"])
    os._exit(0)


def count_lines(work: Callable[[], object], ours: tuple[str, ...], kill_at: int | None) -> int:
    """Return the number of lines of the files `ours` that `work` executes; the process is killed at the given one."""
    passed = 0

    def watch(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal passed
        if not frame.f_code.co_filename.endswith(ours):
            return None
        if event == "line":
            if passed == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            passed += 1
        return watch

    sys.settrace(watch)
    work()
    sys.settrace(None)
    return passed


def fold(path: Path, kill_at: int | None) -> int:
    """Fold the facts; the process is killed at the given line. Return the number of executed lines."""
    store = Store.open(path, clock=HandClock())
    return count_lines(FoldLoop(store=store).step, OURS, kill_at)


def look(path: Path) -> dict[str, Any]:
    """Return the state that the next start finds, and the state after the next fold."""
    store = Store.open(path, clock=HandClock())

    def read() -> list[Any]:
        with store.read() as tx:
            found = feedback.page(tx, PageQuery(limit=100)).items
            return sorted((row.id, row.value, row.linked_interaction_id, row.at.isoformat()) for row in found)

    with store.read() as tx:
        folded, lost = not any_fact(tx), [loss.sentence for loss in losses.unacknowledged(tx)]
    rows = read()
    FoldLoop(store=store).step()
    actual = {"folded": folded, "losses": lost, "rows": rows, "later": read()}
    store.close()
    return actual


def attempt(original: Path, folder: Path, kill_at: int | None) -> dict[str, Any]:
    shutil.copytree(original, folder)
    path = folder / "driftd.duckdb"
    passed = in_a_fork(lambda: fold(path, kill_at))
    return {"at": kill_at, "passed": passed, **in_a_fork(lambda: look(path))}


def main(folder: Path) -> None:
    original = folder / "original"
    original.mkdir()
    if os.fork() == 0:
        prepare(original / "driftd.duckdb")
    os.wait()
    before = in_a_fork(lambda: look_only(original, folder / "before"))
    whole = attempt(original, folder / "whole", None)
    last = whole["passed"] - 1  # a line after the commit
    places = sorted({*range(0, last, max(1, last // ATTEMPTS)), last})
    attempts = [attempt(original, folder / str(n), n) for n in places]
    sys.stdout.write(json.dumps({"before": before, "whole": whole, "attempts": attempts}))


def look_only(original: Path, folder: Path) -> dict[str, Any]:
    shutil.copytree(original, folder)
    return look(folder / "driftd.duckdb")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
