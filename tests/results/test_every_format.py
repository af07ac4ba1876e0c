"""The example files of every format, imported: what is stored are the figures of the tools."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from monitor.results.importing import import_run
from monitor.results.metric_names import stored_name
from monitor.results.plan import ImportState
from monitor.store.engine.file_store import FileStore
from monitor.store.runs import runs
from monitor.store.sets.sealed_sets import read_cases
from replay.evalsets.canonical import revision_hash
from replay.results.table import read_runs
from replay.results.types import ToolRun
from tests.replay.results.data import files
from tests.replay.results.test_contract import EXAMPLES
from tests.replay.results.test_figures import FIGURES
from tests.results.build import plan
from tests.store.build import HandClock

TIME = datetime(2026, 3, 1, tzinfo=UTC)


def options(run: ToolRun) -> dict[str, object]:
    """Give every condition that a file may lack."""
    return {"set_name": None if run.set_name else "a-set", "model": "m", "started_at": TIME}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_format_becomes_runs_once(name: str, store: FileStore, clock: HandClock) -> None:
    for run in read_runs(files(EXAMPLES[name])):
        first = import_run(store, run, plan(**options(run)), clock=clock)
        again = import_run(store, run, plan(**options(run)), clock=clock)
        assert (first.state, again.state, again.run_id) == (ImportState.NEW, ImportState.PRESENT, first.run_id)
        with store.read() as tx:
            stored, cases = runs.get(tx, first.run_id), read_cases(tx, first.set_name, first.revision, None)
        assert stored is not None
        assert first.outcomes == len({(row.case_id, row.sample) for row in run.rows()})
        assert revision_hash(cases) == first.revision


@pytest.mark.parametrize("path", FIGURES)
def test_the_stored_numbers_are_those_of_the_tool(path: str, store: FileStore, clock: HandClock) -> None:
    for run, expected in zip(read_runs(files(path)), FIGURES[path], strict=True):
        found = import_run(store, run, plan(**options(run)), clock=clock)
        stored, scales = _stored(store, found.run_id), _scales(store, found.run_id)
        for name, (count, total) in expected.items():
            raw, inside = stored[stored_name(name)]
            if found.repeated_rows:  # the file has a row twice
                assert count - found.repeated_rows <= raw.count <= count
                continue
            assert raw.count == count, name
            assert raw.total == pytest.approx(total, abs=1e-4), name
            low, high = scales[stored_name(name)]
            rescaled = inside.total * (high - low) + low * inside.count
            assert inside.count < count or rescaled == pytest.approx(total, abs=1e-4), name


@dataclass(frozen=True, slots=True)
class Sum:
    count: int
    total: float


def _stored(store: FileStore, run_id: str) -> dict[str, tuple[Sum, Sum]]:
    """Return the stored numbers of the tool and the values of each metric."""
    query = (
        "SELECT concat_ws('.', scorer, component), count(raw), coalesce(sum(raw), 0), count(value), "
        "coalesce(sum(value), 0) FROM score WHERE run_id = ? GROUP BY ALL"
    )
    with store._cursors.lend() as cursor:
        rows = cursor.execute(query, [run_id]).fetchall()
    return {name: (Sum(raw, raws), Sum(inside, values)) for name, raw, raws, inside, values in rows}


def _scales(store: FileStore, run_id: str) -> dict[str, tuple[float, float]]:
    with store.read() as tx:
        stored = runs.get(tx, run_id)
    assert stored is not None
    assert stored.manifest is not None
    metrics = stored.manifest["extra"]["conditions"]["metrics"]
    return {name: (each["low"], each["high"]) for name, each in metrics.items()}
