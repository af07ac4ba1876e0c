"""Data that an erasure removes between the read and the write of a loop must not return."""

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from monitor.app import build
from monitor.clock import OffsetClock
from monitor.daemon import App
from monitor.domain.evalset import SetKind
from monitor.domain.run import RunState
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.runs import runs
from monitor.store.sets.sealed_sets import write_revision
from monitor.store.traffic import interactions
from replay.types import Case, Message
from tests.config.builders import config
from tests.store.build import START, interaction, run


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """Return all components, none of them running."""
    settings = config(tmp_path, store={"path": "driftd.duckdb"})
    built = build(settings, clock=OffsetClock(datetime(2026, 11, 21, 3, 0, tzinfo=UTC)), console=io.StringIO())
    yield built
    built.stop()


def planned(app: App, *owners: str) -> Any:
    """Return a planned run with one case of each user."""
    cases = [
        Case(id=f"case-{name}", input=(Message(role="user", content=name),), provenance=f"interaction {name}")
        for name in owners
    ]
    with app.store.write() as tx:
        interactions.insert(tx, [interaction(name, user_id=name) for name in owners])
        kept, _ = write_revision(
            tx, name="corrections", kind=SetKind.DYNAMIC, cases=cases, sealer=None, now=START, origin="corrections"
        )
        planned_run = run("run-1", set_name="corrections", set_kind=SetKind.DYNAMIC, revision=kept.revision)
        runs.insert(tx, replace(planned_run, cases=len(cases)))
        return runs.get(tx, "run-1")


def erase(app: App, user: str) -> None:
    with app.store.write() as tx:
        erase_user(tx, user, START)


def loop(app: App) -> Any:
    return next(worker.loop for worker in app.supervisor._workers if worker.loop.name == "replay")


def state_of(app: App) -> Any:
    with app.store.read() as tx:
        return runs.get(tx, "run-1")


def test_a_run_whose_every_case_was_erased_since_it_was_read_asks_nothing(app: App) -> None:
    read = planned(app, "anna")
    erase(app, "anna")
    assert loop(app)._take_up(read) == 1
    assert state_of(app).state is RunState.FAILED


def test_a_run_that_lost_a_case_since_it_was_read_asks_what_is_left(app: App) -> None:
    planned(app, "anna", "bert")
    read = loop(app)._queue.take(app.store, loop(app)._clock)
    erase(app, "anna")
    assert loop(app)._take_up(read) == 1  # nothing answers at the target of this configuration
    over = state_of(app)
    assert over.revision != read.revision
    assert over.cases == 1
    assert over.error is None or "no revision" not in over.error


def test_the_loop_says_which_set_it_replays_only_while_it_does(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(app, "anna")
    seen: list[frozenset[str]] = []

    def watch(_: object) -> int:
        seen.append(app._replays.sets)
        return 1

    monkeypatch.setattr(loop(app), "_take_up", watch)
    assert loop(app).step() == 1
    assert (seen, app._replays.sets) == ([frozenset({"corrections"})], frozenset())
