"""Kill a compaction at each line in turn and check the file: `python -m tests.store.kill_compaction FOLDER`.

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

from monitor.domain.compaction import Compaction, CompactionKind
from monitor.store.engine import losses
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.schema import IDS, table_of
from monitor.store.maintenance import compactions
from monitor.store.traffic import interactions
from tests.store.build import START, HandClock, interaction

ROWS = 40
EVERY = 100  # of the lines of the copy, every hundredth is tried
ALL_OF = {"replace_with_copy"}  # the replacement of the file: every line is tried
OURS = tuple(
    f"store/engine/{name}.py"
    for name in ("compact_files", "compactor", "copy", "change_log", "connections", "database")
)


def in_a_fork(work: Callable[[], Any]) -> Any:
    """Return the result of `work` in a forked process, None when it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, json.dumps(work()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        actual = answer.read()
    _, status = os.waitpid(child, 0)
    return None if os.WIFSIGNALED(status) else json.loads(actual)


def prepare(path: Path) -> None:
    """Write rows to the file and to its log, and an order to compact the file."""
    clock = HandClock()
    store = Store.open(path, clock=clock)
    for batch in range(2):
        with store.write() as tx:
            interactions.insert(tx, [interaction(f"{batch}-{n}") for n in range(ROWS // 2)])
        if batch == 0:
            clock.seconds += 60
            assert store.checkpoint_when_idle()
    with store.write() as tx:
        compactions.insert(tx, Compaction(id="r", kind=CompactionKind.COMPACT, at=START, who="t", removed={}))
    os._exit(0)


def compact(path: Path, kill_at: int | None) -> list[str]:
    """Compact the file; the process is killed at the given line. Return the functions whose lines were executed."""
    passed: list[str] = []

    def watch(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.endswith(OURS):
            return None
        if event == "line":
            if len(passed) == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            passed.append(frame.f_code.co_name)
        return watch

    store = Store.open(path, clock=HandClock())

    def finish(tx: Tx) -> None:
        """Write after the snapshot was taken: a new row, and a removed one."""
        compactions.finish(tx, START)
        with store.write() as other:
            interactions.insert(other, [interaction("meanwhile")])
        with store.write() as other:
            other.execute("remove_interactions", batch=table_of(IDS, [{"id": "0-0"}]))
        acknowledged_at(path).touch()

    sys.settrace(watch)
    store.compact(finish)
    sys.settrace(None)
    return passed


def acknowledged_at(path: Path) -> Path:
    """Return the path of the file that shows that both writes were committed."""
    return path.parent.with_name(path.parent.name + ".acknowledged")


def look(path: Path) -> dict[str, Any]:
    """Return the state that the next start finds."""
    store = Store.open(path, clock=HandClock())
    with store.read() as tx:
        rows, done = interactions.count(tx), compactions.get(tx, "r").compacted_at is not None
        lost = [loss.sentence for loss in losses.unacknowledged(tx)]
        moved = [interactions.get(tx, "meanwhile") is not None, interactions.get(tx, "0-0") is None]
    with store.write() as tx:
        interactions.insert(tx, [interaction("after")])
    store.close()
    acknowledged = acknowledged_at(path).exists()
    actual = {"rows": rows, "done": done, "moved": moved, "acknowledged": acknowledged, "losses": lost}
    return {**actual, "files": sorted(file.name for file in path.parent.iterdir())}


def attempt(original: Path, folder: Path, kill_at: int) -> dict[str, Any]:
    folder.mkdir()
    for file in original.iterdir():
        shutil.copy(file, folder)
    path = folder / "driftd.duckdb"
    killed = in_a_fork(lambda: compact(path, kill_at)) is None
    return {"at": kill_at, "killed": killed, **in_a_fork(lambda: look(path))}


def main(folder: Path) -> None:
    original = folder / "original"
    original.mkdir()
    if os.fork() == 0:
        prepare(original / "driftd.duckdb")
    os.wait()
    whole = folder / "whole"
    shutil.copytree(original, whole)
    passed = in_a_fork(lambda: compact(whole / "driftd.duckdb", None))
    points = [n for n, name in enumerate(passed) if name in ALL_OF or n % EVERY == 0]
    sys.stdout.write(json.dumps([attempt(original, folder / str(n), n) for n in points]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
