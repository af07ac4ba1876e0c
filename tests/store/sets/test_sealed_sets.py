import json
from dataclasses import replace

import pytest

from monitor.domain.evalset import Revision, SetKind
from monitor.errors import ConfigError, NotFound, UsageError
from monitor.store.engine.database import Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.maintenance.rotate_key import reseal
from monitor.store.sets import revisions as evalsets
from monitor.store.sets.sealed_sets import case_context, opened, read_cases, write_revision
from replay.errors import SealError
from replay.evalsets.canonical import revision_hash, text_digest
from replay.evalsets.sealing import Sealer
from replay.types import Case, Message, Severity
from tests.store.build import START, at

SEALER = Sealer(b"k" * 32)
QUESTION = "Is 524287 prime, or is it not?"


def case(id_: str, text: str = QUESTION, **fields: object) -> Case:
    return Case(id=id_, input=(Message(role="user", content=text),), references=("yes",), **fields)  # type: ignore[arg-type]


CASES = [case("b", severity=Severity.HIGH, category="prime"), case("a", "Is 9 prime?")]


def write(tx: Tx, cases: list[Case], *, minute: float = 0, sealer: Sealer | None = SEALER) -> tuple[Revision, bool]:
    return write_revision(
        tx, name="primes", kind=SetKind.FROZEN, cases=cases, sealer=sealer, now=at(minute), origin="primes.jsonl"
    )


def test_cases_come_back_opened_and_in_their_order(tx: Tx) -> None:
    revision, new = write(tx, CASES)
    assert new
    assert read_cases(tx, "primes", revision.revision, SEALER) == CASES


def test_a_revision_tells_what_it_holds(tx: Tx) -> None:
    revision, _ = write(tx, CASES)
    assert revision.revision == revision_hash(CASES)
    assert (revision.cases, revision.sealed, revision.parent, revision.origin) == (2, True, None, "primes.jsonl")
    assert revision.created_at == START
    assert evalsets.current(tx, "primes") == revision


def test_nothing_of_a_sealed_case_can_be_read_in_the_file(store: FileStore) -> None:
    with store.write() as tx:
        write(tx, CASES)
    store.close()
    kept = store.path.read_bytes()
    log = store.path.with_name(store.path.name + ".wal")
    kept += log.read_bytes() if log.exists() else b""
    assert b"primes.jsonl" in kept  # texts that are not sealed are found this way
    assert b"524287" not in kept


def test_another_key_does_not_open_it(tx: Tx) -> None:
    revision, _ = write(tx, CASES)
    with pytest.raises(SealError):
        read_cases(tx, "primes", revision.revision, Sealer(b"x" * 32))


def test_macs_are_keyed_when_sealed_and_plain_digests_when_not(tx: Tx) -> None:
    write(tx, CASES)
    assert evalsets.sealed_input_macs(tx) == {SEALER.mac(QUESTION), SEALER.mac("Is 9 prime?")}
    plain, _ = write_revision(
        tx, name="corrections", kind=SetKind.DYNAMIC, cases=CASES, sealer=None, now=START, origin="corrections"
    )
    [first, _] = evalsets.cases(tx, "corrections", plain.revision)
    assert (first.input_mac, first.case_id) == (text_digest(QUESTION), "b")
    assert not plain.sealed
    assert read_cases(tx, "corrections", plain.revision, None) == CASES
    assert read_cases(tx, "corrections", plain.revision, SEALER) == CASES


def test_equal_content_has_equal_macs_across_revisions_and_other_content_another(tx: Tx) -> None:
    one, _ = write(tx, CASES)
    two, _ = write(tx, [CASES[0], case("a", "Is 11 prime?")], minute=1)
    before = {row.case_id: row.content_mac for row in evalsets.cases(tx, "primes", one.revision)}
    after = {row.case_id: row.content_mac for row in evalsets.cases(tx, "primes", two.revision)}
    assert before["b"] == after["b"]
    assert before["a"] != after["a"]


def test_the_same_cases_are_no_new_revision(tx: Tx) -> None:
    first, _ = write(tx, CASES)
    assert write(tx, list(reversed(CASES)), minute=5) == (first, False)


def test_a_new_revision_supersedes_the_old_one_and_keeps_the_canary_of_the_set(tx: Tx) -> None:
    first, _ = write(tx, CASES)
    second, new = write(tx, CASES[:1])  # at the same instant: the later one is still the newest
    assert new
    assert (second.parent, second.canary) == (first.revision, first.canary)
    assert evalsets.current(tx, "primes") == second
    assert read_cases(tx, "primes", first.revision, SEALER) == CASES


def test_content_that_comes_back_is_current_again_and_no_third_revision(tx: Tx) -> None:
    first, _ = write(tx, CASES)
    write(tx, CASES[:1], minute=1)
    again, new = write(tx, CASES, minute=2)
    assert not new
    assert (again.revision, again.created_at) == (first.revision, at(2))
    assert evalsets.current(tx, "primes") == again
    assert len(evalsets.cases(tx, "primes", first.revision)) == 2


def test_a_frozen_set_without_a_key_is_refused(tx: Tx) -> None:
    with pytest.raises(ConfigError, match=r"sets.primes: a frozen set must be sealed; configure its key_file or key"):
        write(tx, CASES, sealer=None)


def test_an_empty_set_is_refused(tx: Tx) -> None:
    with pytest.raises(UsageError, match="set 'primes' would be empty"):
        write(tx, [])


def test_reading_without_the_key_or_an_unknown_revision_is_told(tx: Tx) -> None:
    revision, _ = write(tx, CASES)
    with pytest.raises(ConfigError, match="is sealed; configure the key that it was imported with"):
        read_cases(tx, "primes", revision.revision, None)
    with pytest.raises(NotFound, match="set 'primes' has no revision 'r9'"):
        read_cases(tx, "primes", "r9", SEALER)


def test_the_cluster_of_a_case_is_stored_with_its_category_and_in_its_content(tx: Tx) -> None:
    variants = [case("a", cluster="primes"), case("b", "Is 9 prime?")]
    revision, _ = write(tx, variants)
    assert [row.cluster for row in evalsets.cases(tx, "primes", revision.revision)] == ["primes", None]
    assert read_cases(tx, "primes", revision.revision, SEALER) == variants


def turn_by_turn(id_: str, *texts: str) -> Case:
    return Case(id=id_, input=tuple(Message(role="user", content=text) for text in texts), turn_by_turn=True)


def test_every_turn_of_a_sealed_case_is_recognized_in_traffic(tx: Tx) -> None:
    write(tx, [turn_by_turn("a", QUESTION, "And 9?", "Why?")])
    assert evalsets.sealed_input_macs(tx) == {SEALER.mac(text) for text in (QUESTION, "And 9?", "Why?")}


def test_turns_are_recognized_with_the_new_key_alone_after_a_rotation(tx: Tx) -> None:
    write(tx, [turn_by_turn("a", QUESTION, "And 9?")])
    new = Sealer(b"n" * 32)
    reseal(tx, "primes", Sealer(b"n" * 32, older=[SEALER]))
    assert evalsets.sealed_input_macs(tx) == {new.mac(QUESTION), new.mac("And 9?")}


def test_a_stored_case_with_a_field_of_an_earlier_release_opens(tx: Tx) -> None:
    revision, _ = write(tx, CASES[:1])
    [stored] = evalsets.cases(tx, "primes", revision.revision)
    context = case_context("primes", "b")
    plain = json.loads(SEALER.open(stored.content, context))
    old = replace(stored, content=SEALER.seal(json.dumps(plain | {"weight": 3.0}).encode(), context))
    assert opened(old, SEALER) == CASES[0]
