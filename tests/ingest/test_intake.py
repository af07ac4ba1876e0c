import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from monitor.domain.interaction import ChatMessage, Document, InheritedAttributes
from monitor.errors import IntakeFull, MalformedRecord, StoreUnavailable
from monitor.ingest.intake import MAX_BYTES, Batch, Counts, EarlyCommit, Intake
from tests.ingest.build import NOW, batch, interaction


def test_rows_count_until_the_writer_settles_them() -> None:
    intake = Intake(10)
    intake.submit(batch("a", "b"))
    submitted = intake.take(100, wait_s=0, gather_s=0)
    assert intake.rows == 2
    intake.settle(submitted)
    assert intake.rows == 0


def test_a_full_intake_rejects_a_batch_and_reports_its_rows() -> None:
    intake = Intake(3)
    intake.submit(batch("a", "b"))
    with pytest.raises(IntakeFull, match="has 2 of 3 rows"):
        intake.submit(batch("c", "d"))
    assert intake.rows == 2


def test_an_empty_intake_accepts_a_batch_larger_than_itself() -> None:
    intake = Intake(1)
    intake.submit(batch("a", "b", "c"))
    with pytest.raises(IntakeFull):
        intake.submit(batch("d"))


def test_a_waiting_sender_submits_as_soon_as_rows_are_settled() -> None:
    intake = Intake(1)
    intake.submit(batch("a"))
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(intake.submit, batch("b"), wait_s=30)
        intake.settle(intake.take(1, wait_s=0, gather_s=0))
        assert not late.result(timeout=30).future.done()
    assert [p.batch.interactions[0].id for p in intake.take(1, wait_s=0, gather_s=0)] == ["b"]


def test_an_empty_batch_has_its_receipt_at_once() -> None:
    assert Intake(1).submit(Batch()).wait(0) == Counts(accepted=0, duplicates=0)


def test_take_gathers_whole_batches_up_to_the_limit_oldest_first() -> None:
    intake = Intake(100)
    for rows in (("a", "b"), ("c",), ("d", "e")):
        intake.submit(batch(*rows))
    first, second = (intake.take(3, wait_s=0, gather_s=0) for _ in range(2))
    assert [[i.id for i in p.batch.interactions] for p in first] == [["a", "b"], ["c"]]
    assert [[i.id for i in p.batch.interactions] for p in second] == [["d", "e"]]


def test_a_batch_beyond_the_limit_is_committed_alone() -> None:
    intake = Intake(100)
    intake.submit(batch("a", "b", "c"))
    intake.submit(batch("d"))
    assert [p.batch.rows for p in intake.take(2, wait_s=0, gather_s=0)] == [3]


def test_take_waits_for_the_size_and_no_longer() -> None:
    intake = Intake(100)
    with ThreadPoolExecutor(1) as pool:
        taking = pool.submit(intake.take, 2, wait_s=60, gather_s=60)
        intake.submit(batch("a"))
        intake.submit(batch("b"))
        assert len(taking.result(timeout=30)) == 2


def test_a_single_batch_does_not_wait_the_whole_gather_time() -> None:
    intake = Intake(100)
    intake.submit(batch("a"))
    began = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        taken = pool.submit(intake.take, 2, wait_s=0, gather_s=30).result(timeout=25)
    assert len(taken) == 1
    assert time.monotonic() - began >= 6  # a fifth of the gather time


def test_a_commit_waits_for_a_batch_that_is_being_decoded() -> None:
    intake = Intake(100)
    intake.submit(batch("a"))
    coming = intake.coming()
    with ThreadPoolExecutor(1) as pool:
        taking = pool.submit(intake.take, 3, wait_s=0, gather_s=60, early=EarlyCommit(quiet=1))
        time.sleep(0.2)
        with coming:
            intake.submit(batch("b"))
        assert len(taking.result(timeout=30)) == 2


def test_a_commit_does_not_wait_for_a_batch_that_is_not_submitted() -> None:
    intake = Intake(100)
    intake.submit(batch("a"))
    with intake.coming() as coming, pytest.raises(MalformedRecord):
        raise MalformedRecord("not a span")
    intake.came(coming)  # a second time, as when a request is cancelled
    with ThreadPoolExecutor(1) as pool:
        early = EarlyCommit(quiet=1)
        assert len(pool.submit(intake.take, 2, wait_s=0, gather_s=600, early=early).result(timeout=30)) == 1


def test_enough_rows_are_committed_at_once() -> None:
    intake = Intake(100)
    intake.submit(batch("a", "b"))
    with ThreadPoolExecutor(1) as pool:
        early = EarlyCommit(quiet=2)
        assert len(pool.submit(intake.take, 10, wait_s=0, gather_s=600, early=early).result(timeout=30)) == 1
    with intake.coming(), ThreadPoolExecutor(1) as pool:
        intake.submit(batch("c", "d", "e"))
        early = EarlyCommit(quiet=2, busy=3)
        assert len(pool.submit(intake.take, 10, wait_s=0, gather_s=600, early=early).result(timeout=30)) == 1


def test_gathering_ends_when_the_first_batch_is_old_enough() -> None:
    instants = iter([100.0, 100.5])
    intake = Intake(100, monotonic=lambda: next(instants))
    intake.submit(batch("a"))
    assert len(intake.take(2, wait_s=0, gather_s=0.5)) == 1


def test_closing_wakes_the_writer_and_rejects_senders() -> None:
    intake = Intake(100)
    waiting = threading.Event()

    def take() -> list[object]:
        waiting.set()
        return list(intake.take(1, wait_s=60, gather_s=60))

    with ThreadPoolExecutor(1) as pool:
        taking = pool.submit(take)
        waiting.wait(30)
        intake.close()
        assert taking.result(timeout=30) == []
    with pytest.raises(StoreUnavailable, match="stopping"):
        intake.submit(batch("a"))


def test_a_closed_intake_returns_its_queued_batches() -> None:
    intake = Intake(100)
    intake.submit(batch("a"))
    intake.close()
    assert len(intake.take(10, wait_s=0, gather_s=60)) == 1


def test_a_disconnected_sender_cannot_cancel_a_receipt() -> None:
    receipt = Intake(1).submit(batch("a"))
    assert not receipt.future.cancel()
    assert not receipt.future.cancelled()


def test_waiting_until_empty_ends_with_the_last_settled_batch() -> None:
    intake = Intake(10)
    intake.submit(batch("a"))
    assert not intake.wait_until_empty(0)
    intake.settle(intake.take(1, wait_s=0, gather_s=0))
    assert intake.wait_until_empty(0)


def test_long_rows_fill_the_intake_by_their_bytes() -> None:
    intake = Intake(1000, max_bytes=3_000_000)
    first = long_batch("a", 2_000_000)
    intake.submit(first)
    with pytest.raises(IntakeFull, match=r"has 1 of 1000 rows and 20\d\d\d\d\d of 3000000 bytes"):
        intake.submit(long_batch("b", 2_000_000))
    intake.settle(intake.take(10, wait_s=0, gather_s=0))
    intake.submit(long_batch("b", 9_000_000))  # alone in the intake


def test_rows_of_sixteen_megabytes_limit_the_commit() -> None:
    intake = Intake(20_000)
    for number in range(MAX_BYTES // (16 * 2**20) - 1):
        intake.submit(long_batch(str(number), 16 * 2**20))
    with pytest.raises(IntakeFull):
        intake.submit(long_batch("more", 17 * 2**20))
    assert [len(pending.batch.interactions) for pending in intake.take(1000, wait_s=0, gather_s=0)] == [1]


def test_a_commit_has_at_most_the_configured_bytes_of_text() -> None:
    intake = Intake(1000, commit_bytes=5_000_000)
    for name in "abc":
        intake.submit(long_batch(name, 2_000_000))
    submitted = [intake.take(1000, wait_s=0, gather_s=0) for _ in range(2)]
    assert [[p.batch.interactions[0].id for p in some] for some in submitted] == [["a", "b"], ["c"]]


def test_span_context_counts_the_size_of_its_documents() -> None:
    read = InheritedAttributes(
        deployment="support",
        trace_id="a" * 32,
        span_id="b" * 16,
        parent_span_id=None,
        received_at=NOW,
        documents=(Document(content="x" * 100_000),),
    )
    assert 100_000 < Batch(span_contexts=(read,)).text_bytes() < 110_000


def long_batch(name: str, length: int) -> Batch:
    return Batch(
        interactions=(interaction(name, output_messages=(ChatMessage(role="assistant", content="x" * length),)),)
    )


def test_the_oldest_batch_has_an_age_until_it_is_settled() -> None:
    now = [100.0]
    intake = Intake(10, monotonic=lambda: now[0])
    assert intake.oldest_s == 0
    intake.submit(batch("a"))
    now[0] += 5
    intake.submit(batch("b"))
    [first] = intake.take(1, wait_s=0, gather_s=0)
    now[0] += 2
    assert intake.oldest_s == 7  # the writer writes it
    intake.settle([first])
    assert intake.oldest_s == 2
    intake.settle(intake.take(1, wait_s=0, gather_s=0))
    assert intake.oldest_s == 0
