from collections.abc import Sequence

import pytest

from monitor.domain.evalset import SetKind
from monitor.errors import Conflict
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.engine.schema import RESEALED_OUTCOMES, RESEALED_PAIRS, RESEALED_SCORES, TABLES
from monitor.store.maintenance.rotate_key import reseal
from monitor.store.runs import outcomes, runs
from monitor.store.runs import stored_replies as replies
from monitor.store.runs.contexts import outcome_context, reason_context
from monitor.store.sets import revisions as evalsets
from monitor.store.sets.sealed_sets import key_of_set, read_cases, write_revision
from replay.errors import SealError
from replay.evalsets.sealing import Sealer, key_id_of
from replay.types import Case, ToolCall
from tests.store import build
from tests.store.build import at
from tests.store.sets.test_sealed_sets import CASES, case

OLD = Sealer(b"o" * 32)
NEW = Sealer(b"n" * 32)
TURNS = ("Is it?", "It is prime, for 524287 is.")
BOTH = Sealer(b"n" * 32, older=[OLD])


def write(tx: Tx, cases: Sequence[Case], sealer: Sealer, minute: float = 0) -> str:
    found, _ = write_revision(
        tx, name="primes", kind=SetKind.FROZEN, cases=cases, sealer=sealer, now=at(minute), origin="primes.jsonl"
    )
    return found.revision


def answer(tx: Tx, sealer: Sealer, sample: int = 0) -> None:
    call = ToolCall(id="1", name="divide", arguments='{"by": 3}', result="no")
    scores = [build.score(1.0), build.score(0.5, component="style", decides=False)]
    row = build.answer("b", *scores, sample=sample, text=TURNS[1], tool_calls=(call,), turns=TURNS)
    outcomes.append(tx, "run-1", [row], lambda text, context: sealer.seal(text.encode(), context))


def furnish(tx: Tx) -> tuple[str, str]:
    """Write two revisions and a run with one reply, all sealed with the old key."""
    first = write(tx, CASES, OLD)
    second = write(tx, [CASES[0], case("a", "Is 11 prime?")], OLD, minute=1)
    runs.insert(tx, build.run("run-1", set_name="primes", revision=second))
    tx.new_step()
    answer(tx, OLD)
    return first, second


def test_everything_opens_with_the_new_key_alone_afterwards(tx: Tx) -> None:
    first, second = furnish(tx)
    before = read_cases(tx, "primes", first, OLD)
    done = reseal(tx, "primes", BOTH)
    assert (done.cases, done.outcomes, done.scores, done.key_id) == (4, 1, 2, NEW.key_id)
    assert key_of_set(tx, "primes") == NEW.key_id
    assert read_cases(tx, "primes", first, NEW) == before
    (reply,) = replies.read_replies(tx, [outcome_context("run-1", "b", 0)], lambda _: NEW.open)
    assert reply.reply.text == "It is prime, for 524287 is."
    (row,) = outcomes.page(tx, "run-1", PageQuery(), lambda sealed, context: NEW.open(sealed, context).decode()).items
    assert ([call.name for call in row.tool_calls or ()], row.turns) == (["divide"], TURNS)
    assert (reply.reply.turns, reply.reply.tool_calls) == (row.turns, row.tool_calls)
    with pytest.raises(SealError, match="sealed with key"):
        read_cases(tx, "primes", second, OLD)


def test_cases_are_still_recognized_across_revisions_and_in_traffic(tx: Tx) -> None:
    first, second = furnish(tx)
    reseal(tx, "primes", BOTH)
    macs = [{row.case_id: row.content_mac for row in evalsets.cases(tx, "primes", r)} for r in (first, second)]
    assert macs[0]["b"] == macs[1]["b"]
    assert macs[0]["a"] != macs[1]["a"]
    assert NEW.mac("Is 11 prime?") in evalsets.sealed_input_macs(tx)
    assert OLD.mac("Is 11 prime?") not in evalsets.sealed_input_macs(tx)


def test_a_second_time_there_is_nothing_to_do(tx: Tx) -> None:
    furnish(tx)
    reseal(tx, "primes", BOTH)
    assert reseal(tx, "primes", NEW).rows == 0


def test_what_was_sealed_with_the_new_key_meanwhile_stays_as_it_is(tx: Tx) -> None:
    furnish(tx)
    answer(tx, BOTH, sample=1)
    assert reseal(tx, "primes", BOTH).outcomes == 1


def test_without_the_old_key_nothing_changes(store: Store) -> None:
    with store.write() as tx:
        first, _ = furnish(tx)
    with pytest.raises(SealError, match="or name it under old_keys"), store.write() as tx:
        reseal(tx, "primes", NEW)
    with store.read() as tx:
        assert len(read_cases(tx, "primes", first, OLD)) == 2


def test_a_revision_under_a_second_key_waits_for_the_rotation(tx: Tx) -> None:
    write(tx, CASES, OLD)
    with pytest.raises(Conflict, match="run `driftd sets rotate primes --key` first"):
        write(tx, CASES[:1], BOTH, minute=1)
    reseal(tx, "primes", BOTH)
    write(tx, CASES[:1], BOTH, minute=1)


def test_every_column_that_holds_something_sealed_is_sealed_anew() -> None:
    """A new sealed column that is missing here would be lost with the old key."""
    there = {f"{table}.{name}" for table, schema in TABLES.items() for name in schema.names if name.endswith("_sealed")}
    assert there == {"outcome.text_sealed", "outcome.tool_calls_sealed", "outcome.turns_sealed"} | {
        "score.reason_sealed",
        "pairwise_verdict.reason_sealed",
    }
    assert {"text_sealed", "tool_calls_sealed", "turns_sealed"} <= set(RESEALED_OUTCOMES.names)
    assert "reason_sealed" in RESEALED_SCORES.names
    assert "reason_sealed" in RESEALED_PAIRS.names


def test_an_older_key_opens_and_never_seals() -> None:
    context = reason_context("run-1", "b", 0, "exact")
    assert BOTH.open(OLD.seal(b"x", context), context) == b"x"
    assert key_id_of(BOTH.seal(b"x", context)) == NEW.key_id
    assert BOTH.mac("x") == NEW.mac("x")
    assert set(BOTH.macs("x")) == {NEW.mac("x"), OLD.mac("x")}
