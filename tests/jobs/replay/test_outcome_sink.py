"""The sink of the store fulfils the contract of all sinks, whether or not its stored outcomes were read before."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from monitor.errors import StoreUnavailable
from monitor.jobs.replay.outcome_sink import StoreSink
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import outcomes, runs
from replay.sinks import OutcomeSink
from replay.types import Outcome, Reply, Score, ScoredOutcome
from tests.replay.replays import answered_row, failed_row
from tests.replay.sink_contract import SinkContract
from tests.store.build import HandClock, run


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path / "driftd.duckdb", clock=HandClock())
    with opened.write() as tx:
        for run_id in ("run-1", "run-2"):
            runs.insert(tx, run(run_id))
    yield opened
    opened.close()


def rows_of(store: Store, run_id: str) -> list[ScoredOutcome]:
    """Return the rows as they were committed, except for values that the store does not return."""
    with store.read() as tx:
        page = outcomes.page(tx, run_id, PageQuery(), None).items
        result = {outcome.case_id: outcome for outcome, _ in outcomes.outcome_summaries(tx, run_id)}
    return [_row(result[row.case_id], row.text, row.scores) for row in page]


def _row(result: Outcome, text: str | None, scores: Iterable[object]) -> ScoredOutcome:
    reply: Reply | None = result.reply and replace(result.reply, text=text or "")
    names = Score.__slots__
    return ScoredOutcome(
        outcome=replace(result, reply=reply),
        scores=tuple(Score(**{name: getattr(score, name) for name in names}) for score in scores),
    )


class StoreSinkContract(SinkContract):
    def read_back(self, sink: OutcomeSink, run_id: str) -> Iterable[ScoredOutcome]:
        assert isinstance(sink, StoreSink)
        return rows_of(sink._store, run_id)


class TestStoreSink(StoreSinkContract):
    @pytest.fixture
    def sink(self, store: Store) -> StoreSink:
        return StoreSink(store, None)


class TestStoreSinkThatWasAsked(StoreSinkContract):
    @pytest.fixture
    def sink(self, store: Store) -> StoreSink:
        sink = StoreSink(store, None)
        for run_id in ("run-1", "run-2"):
            assert sink.answered(run_id) == set()
        return sink


def test_what_an_earlier_start_committed_stays_as_it_was(store: Store) -> None:
    StoreSink(store, None).commit("run-1", [answered_row(0, text="yes")])
    resumed = StoreSink(store, None)
    assert resumed.answered("run-1") == {("c0", 0)}
    resumed.commit("run-1", [answered_row(0, text="no"), answered_row(1, text="no"), failed_row(2)])
    texts = {row.outcome.case_id: row.outcome.reply and row.outcome.reply.text for row in rows_of(store, "run-1")}
    assert texts == {"c0": "yes", "c1": "no", "c2": None}


def test_what_the_caller_was_given_is_its_own(store: Store) -> None:
    sink = StoreSink(store, None)
    given = sink.answered("run-1")
    sink.commit("run-1", [answered_row(0)])
    assert given == set()


def test_a_commit_that_failed_is_not_taken_for_stored(store: Store) -> None:
    sink = StoreSink(store, None)
    sink.answered("run-1")
    store.close()
    with pytest.raises(StoreUnavailable):
        sink.commit("run-1", [answered_row(0)])
    assert sink._known["run-1"] == set()
