"""An import that is killed continues after its last batch, and stores what an undisturbed import stores."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from monitor.clock import SystemClock
from monitor.results.importing import import_run
from monitor.results.plan import ImportState
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from replay.results.types import ToolRun
from tests.results.build import plan, run
from tests.results.killed_import import BATCH_ROWS, asked

ROWS = 430
TABLES = ("outcome", "score", "eval_case", "result_import_case")


def generated(count: int = ROWS) -> ToolRun:
    return replace(run([], primary="match,strict"), rows=lambda: asked(count))


def kill_after(folder: Path, batches: int) -> None:
    """Import until a number of batches is committed, and kill the process."""
    command = [sys.executable, "-m", "tests.results.killed_import", str(folder), str(ROWS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for batch in range(1, batches + 1):
            assert process.stdout.readline().strip() == str(batch * BATCH_ROWS)
            if batch < batches:
                process.stdin.write("\n")
                process.stdin.flush()
        process.kill()


def counts(store: FileStore) -> Sequence[int]:
    with store._cursors.lend() as cursor:
        return [cursor.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0] for table in TABLES]


@pytest.mark.parametrize("batches", [1, 5, 8])
def test_a_killed_import_continues_after_its_last_batch(tmp_path: Path, batches: int) -> None:
    kill_after(tmp_path, batches)
    store = Store.open(tmp_path / "driftd.duckdb", clock=SystemClock())
    before = counts(store)
    rows: list[int] = []
    found = import_run(
        store,
        generated(),
        plan(),
        clock=SystemClock(),
        progress=lambda done, _: rows.append(done),
        batch_rows=BATCH_ROWS,
    )
    cases = (batches * BATCH_ROWS + 1) // 2
    assert before == [cases, batches * BATCH_ROWS, 0, cases]
    assert rows[0] == (batches + 1) * BATCH_ROWS
    assert (found.state, found.cases, found.outcomes) == (ImportState.CONTINUED, ROWS // 2, ROWS // 2)
    assert counts(store) == [ROWS // 2, ROWS, ROWS // 2, 0]
    assert [(each.metric, each.scored) for each in found.metrics] == [
        ("match,strict", ROWS // 2),
        ("match,flexible", ROWS // 2),
    ]
    store.close()


def test_a_file_that_changed_after_the_kill_is_imported_from_its_beginning(tmp_path: Path) -> None:
    kill_after(tmp_path, 3)
    store = Store.open(tmp_path / "driftd.duckdb", clock=SystemClock())
    other = list(asked(60))[2:]
    found = import_run(
        store, replace(generated(), rows=lambda: iter(other)), plan(), clock=SystemClock(), batch_rows=BATCH_ROWS
    )
    assert (found.state, found.rows, found.cases) == (ImportState.NEW, 58, 29)
    assert counts(store) == [29, 58, 29, 0]
    store.close()
