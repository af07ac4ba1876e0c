from dataclasses import replace

from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import dead_letters
from monitor.store.traffic.dead_letters import MAX_RAW_BYTES, DeadLetter
from tests.store.build import START, at

LETTER = DeadLetter(id="d", received_at=START, source="otlp", code="malformed", reason="no trace id", raw=b"\x00{")


def test_a_dead_letter_keeps_its_bytes_and_their_length(tx: Tx) -> None:
    dead_letters.insert(tx, [LETTER])
    dead_letters.insert(tx, [])
    assert dead_letters.page(tx, PageQuery()).items == [replace(LETTER, raw_bytes=2)]
    assert dead_letters.count(tx) == 1


def test_a_long_one_is_cut_and_tells_how_long_it_was(tx: Tx) -> None:
    dead_letters.insert(tx, [replace(LETTER, raw=b"x" * (MAX_RAW_BYTES + 7))])
    [kept] = dead_letters.page(tx, PageQuery()).items
    assert (len(kept.raw), kept.raw_bytes) == (MAX_RAW_BYTES, MAX_RAW_BYTES + 7)


def test_they_are_listed_newest_first_and_belong_to_no_deployment(tx: Tx) -> None:
    dead_letters.insert(tx, [replace(LETTER, id=f"d{n}", received_at=at(n)) for n in range(3)])
    assert [item.id for item in dead_letters.page(tx, PageQuery(limit=2)).items] == ["d2", "d1"]
    assert dead_letters.page(tx, PageQuery(deployment="support")).items == []


def test_a_record_that_is_sent_again_is_kept_once(tx: Tx) -> None:
    dead_letters.insert(tx, [LETTER, LETTER])
    dead_letters.insert(tx, [replace(LETTER, received_at=at(1))])
    assert dead_letters.page(tx, PageQuery()).items == [replace(LETTER, raw_bytes=2)]
