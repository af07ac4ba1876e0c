import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from monitor.clock import SystemClock
from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.domain.deployment_limit import DeploymentLimit
from monitor.domain.interaction import SpanContent
from monitor.errors import MalformedRecord, StoreUnavailable
from monitor.ingest.dead_letter import dead_letter
from monitor.ingest.intake import Batch, Counts, Intake
from monitor.ingest.writer import Writer
from monitor.store.engine.database import Store, Tx
from monitor.store.traffic import dead_letters, feedback, interactions
from tests.ingest import build
from tests.ingest.build import NOW, batch

BOTH = ("interaction", "feedback")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path / "driftd.duckdb", clock=SystemClock())
    yield opened
    opened.close()


class FullDisk:
    """The real store with a full disk for the first writes."""

    def __init__(self, store: Store, failures: int) -> None:
        self._store = store
        self._failures = failures
        self.writes = 0

    @contextmanager
    def append(self) -> Iterator[Tx]:
        self.writes += 1
        if self.writes <= self._failures:
            raise StoreUnavailable("the disk is full")
        with self._store.append() as tx:
            yield tx


def count(store: Store) -> int:
    with store.read() as tx:
        return interactions.count(tx)


def writer_of(store: Store | FullDisk, intake: Intake, **options: float) -> Writer:
    return Writer(store, intake, SystemClock(), **options)  # type: ignore[arg-type]


def test_a_receipt_resolves_only_when_another_cursor_sees_the_rows(store: Store) -> None:
    intake = Intake(100)
    receipt = intake.submit(batch("a", "b"))
    received: list[int] = []
    receipt.future.add_done_callback(lambda _f: received.append(count(store)))
    assert (receipt.future.done(), count(store)) == (False, 0)
    assert writer_of(store, intake).step() == 2
    assert received == [2]
    assert receipt.wait(0) == Counts(accepted=2, duplicates=0)


def test_one_commit_keeps_the_limit_of_each_sender(store: Store) -> None:
    intake, disk = Intake(100), FullDisk(store, failures=0)
    limits = (None, frozenset({"support"}), frozenset({"support", "shop"}), frozenset({"support"}))
    for n, deployments in enumerate(limits):
        token = CURRENT_LIMIT.set(None if deployments is None else DeploymentLimit(deployments=deployments))
        intake.submit(Batch(interactions=(build.interaction(f"i-{n}"),), feedback=(build.feedback(f"f-{n}"),)))
        CURRENT_LIMIT.reset(token)
    assert writer_of(disk, intake).step() == 8
    expected = [None, '["support"]', '["shop", "support"]', '["support"]']
    with store.read() as tx:
        rows = {table: tx._cursor.execute(f"SELECT limited_to FROM {table} ORDER BY id").fetchall() for table in BOTH}
    assert rows == {table: [(limit,) for limit in expected] for table in BOTH}
    assert disk.writes == 1


def test_a_limited_sender_withdraws_only_feedback_of_its_deployments(store: Store) -> None:
    intake = Intake(100)
    intake.submit(Batch(feedback=tuple(build.feedback(name, deployment=name) for name in ("support", "shop"))))
    token = CURRENT_LIMIT.set(DeploymentLimit(deployments=frozenset({"support"})))
    intake.submit(Batch(withdrawn_feedback=("support", "shop")))
    CURRENT_LIMIT.reset(token)
    writer_of(store, intake).step()
    with store.read() as tx:
        assert [feedback.by_id(tx, name) is None for name in ("support", "shop")] == [True, False]


def test_one_commit_has_many_batches_and_every_kind_of_row(store: Store) -> None:
    intake = Intake(100)
    letter = dead_letter(source="http", code="malformed", reason="field 'at' is missing", raw=b"{}", now=NOW)
    content = SpanContent(trace_id=build.TRACE, span_id=build.SPAN, received_at=NOW, input_messages=(build.user("hi"),))
    disk = FullDisk(store, failures=0)
    first = intake.submit(batch("a"))
    second = intake.submit(Batch(feedback=(build.feedback(),), contents=(content,), dead_letters=(letter,)))
    writer_of(disk, intake).step()
    assert (first.wait(0).accepted, second.wait(0).accepted, disk.writes) == (1, 1, 1)
    with store.read() as tx:
        assert (interactions.count(tx), feedback.count(tx), dead_letters.count(tx)) == (1, 1, 1)


def test_each_receipt_counts_its_own_duplicates(store: Store) -> None:
    intake = Intake(100)
    receipts = [intake.submit(b) for b in (batch("a", "b"), batch("b", "c"), batch("d"))]
    writer_of(store, intake).step()
    assert [r.wait(0) for r in receipts] == [
        Counts(accepted=2, duplicates=0),
        Counts(accepted=1, duplicates=1),
        Counts(accepted=1, duplicates=0),
    ]
    assert count(store) == 4


def test_a_full_disk_fails_the_receipts_of_its_batches_and_the_writer_continues(store: Store) -> None:
    intake = Intake(100)
    writer = writer_of(FullDisk(store, failures=1), intake)
    lost = [intake.submit(batch("a")), intake.submit(batch("b"))]
    writer.step()
    for receipt in lost:
        with pytest.raises(StoreUnavailable, match="disk is full"):
            receipt.wait(0)
    again = intake.submit(batch("a"))
    writer.step()
    assert again.wait(0) == Counts(accepted=1, duplicates=0)
    assert (count(store), intake.rows) == (1, 0)


def test_a_batch_that_cannot_be_stored_does_not_fail_other_batches(store: Store) -> None:
    intake = Intake(100)
    poisoned = Batch(interactions=(build.interaction("bad", input_tokens=2**70),))
    good, bad, also_good = (intake.submit(b) for b in (batch("a"), poisoned, batch("b")))
    writer_of(store, intake).step()
    assert (good.wait(0).accepted, also_good.wait(0).accepted) == (1, 1)
    with pytest.raises(MalformedRecord, match="input_tokens"):
        bad.wait(0)
    assert (count(store), intake.rows) == (2, 0)


def test_stopping_writes_every_submitted_batch(store: Store) -> None:
    """The order of SIGTERM: stop is set while senders submit. Every batch with a receipt is in the store."""
    intake = Intake(500)
    stop = threading.Event()
    writer = writer_of(store, intake, max_batch_rows=50, max_delay_s=60.0)
    intake.submit(batch("first")).future.add_done_callback(lambda _f: stop.set())
    with ThreadPoolExecutor(5) as pool:
        running = pool.submit(writer.run, stop)
        sending = [pool.submit(send_until_refused, intake, name) for name in "abcd"]
        running.result(timeout=60)
        receipts = [receipt for sent in sending for receipt in sent.result(timeout=60)]
    assert len(receipts) > 0
    assert all(receipt.result(0).accepted == 1 for receipt in receipts)
    assert count(store) == len(receipts) + 1


def send_until_refused(intake: Intake, name: str) -> list[Future[Counts]]:
    receipts: list[Future[Counts]] = []
    with suppress(StoreUnavailable):
        for number in range(5000):
            receipts.append(intake.submit(batch(f"{name}-{number}"), wait_s=60).future)  # noqa: PERF401  kept when one raises
    return receipts


def test_an_idle_writer_stops_when_the_intake_is_closed(store: Store) -> None:
    intake, stop = Intake(10), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(writer_of(store, intake).run, stop)
        stop.set()
        intake.close()
        running.result(timeout=30)


def test_a_step_without_work_does_nothing(store: Store) -> None:
    assert writer_of(store, Intake(10)).step() == 0
