"""After an erasure no table and no byte of a file contains the text of the user."""

from dataclasses import replace
from pathlib import Path

import pytest

from monitor.domain.candidate_review import CandidateReview
from monitor.domain.evalset import Revision, SetKind
from monitor.domain.feedback import Candidate, CandidateState
from monitor.domain.reproduction import ReproducedReply, Reproduction, ReproductionState
from monitor.domain.review import Action, Decision
from monitor.domain.run import RunState
from monitor.feedback.reviewing.snapshot import content_of, snapshot_of
from monitor.store.engine.database import Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.pagination import PageQuery
from monitor.store.maintenance import idempotency
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.maintenance.idempotency import StoredResponse
from monitor.store.runs import outcomes, runs
from monitor.store.sets import candidates, reproductions
from monitor.store.sets import reviews as candidate_reviews
from monitor.store.sets import revisions as evalsets
from monitor.store.sets.sealed_sets import read_cases, write_revision
from monitor.store.traffic import dead_letters, feedback, interactions
from monitor.store.traffic.dead_letters import DeadLetter
from monitor.store.turns import reviews, signals
from replay.evalsets.canonical import revision_hash
from replay.types import Case, Message, ScoredOutcome
from tests.store.build import (
    START,
    HandClock,
    answer,
    at,
    candidate,
    interaction,
    revision,
    run,
    score,
    span_content,
    stored_case,
    turn_review,
    turn_signal,
    user,
)
from tests.store.build import (
    feedback as signal,
)
from tests.store.readable import where_in_tables, where_on_disk

WORDS = "q7Zx9-the-cat-of-Ms-Vandermeer-is-ill-4Kd2"  # not compressible, so it is in the file unchanged
OTHERS = "p3Lw8-where-is-the-invoice-of-May-7Hs1"
EVERYWHERE = {
    "interaction", "feedback", "candidate", "candidate_decision", "candidate_review", "eval_case", "outcome", "score",
    "span_content", "dead_letter", "turn_signal", "reproduction_reply",
}  # fmt: skip


def case(id_: str, text: str, interaction_id: str) -> Case:
    message = Message(role="user", content=text)
    return Case(id=id_, input=(message,), references=(text,), provenance=f"interaction {interaction_id}")


MINE, THEIRS = case("case-mine", WORDS, "mine"), case("case-theirs", OTHERS, "theirs")


def keep(tx: Tx, *cases: Case, minutes: float = 0) -> str:
    kept, _ = write_revision(
        tx, name="grown", kind=SetKind.DYNAMIC, cases=cases, sealer=None, now=at(minutes), origin="corrections"
    )
    return kept.revision


def furnish(tx: Tx) -> None:
    """Write two users to every table; the texts of `mine` contain WORDS, those of `theirs` OTHERS."""
    for name, words in (("mine", WORDS), ("theirs", OTHERS)):
        sent = {"input_messages": (user(words),), "trace_id": f"trace-{name}", "span_id": f"span-{name}"}
        interactions.insert(tx, [interaction(name, user_id=f"user-{name}", conversation_id=f"talk-{name}", **sent)])
        feedback.insert(
            tx,
            [
                signal(f"linked-{name}", comment=words, linked_interaction_id=name),
                signal(f"by-talk-{name}", comment=words, conversation_id=f"talk-{name}"),
            ],
        )
        proposed = candidate(f"cand-{name}", input_text=words, interaction_id=name, bad_output=words)
        candidates.insert(tx, [proposed])
        candidates.record(
            tx, [replace(proposed, edited_messages=(user(f"{words}?"),), expected=words)], [seen(name, words)]
        )
        signals.write(tx, [turn_signal(f"turn-{name}", interaction_id=name, quote=words)])
        reviews.insert(tx, turn_review(f"turn-{name}"))
        reproductions.save(tx, reproduction(f"cand-{name}"))
        reproductions.add_replies(tx, [reproduced(f"cand-{name}", words)])
        candidate_reviews.insert(tx, [reviewed(replace(proposed, expected=words))])
        content = span_content(f"trace-{name}", span_id="later", input_messages=(user(words),))
        interactions.insert_content(tx, [content])
        raw = f'{{"user_id":"user-{name}","input":"{words}"'.encode()
        letter = DeadLetter(id=name, received_at=START, source="http", code="malformed", reason="no end", raw=raw)
        dead_letters.insert(tx, [letter])
    kept = keep(tx, MINE, THEIRS)
    runs.insert(tx, run("run-1", set_name="grown", set_kind=SetKind.DYNAMIC, revision=kept, state=RunState.COMPLETE))
    outcomes.append(tx, "run-1", [reply(MINE), reply(THEIRS)], None)


def seen(name: str, words: str) -> Decision:
    """A reviewer's entry, whose reason quotes the user."""
    return Decision(
        id=f"review-{name}",
        candidate_id=f"cand-{name}",
        deployment="support",
        at=START,
        who="ann",
        action=Action.EDIT,
        state=CandidateState.PROPOSED,
        reason=words,
    )


def reproduction(candidate_id: str) -> Reproduction:
    return Reproduction(
        candidate_id=candidate_id,
        deployment="support",
        run_id=f"reproduction-of-{candidate_id}",
        trace_prefix="0" * 16,
        began_at=START,
        state=ReproductionState.DONE,
        samples=1,
        revision=0,
        input_digest="d",
    )


def reproduced(candidate_id: str, words: str) -> ReproducedReply:
    """Return a reply that repeats the words of the user."""
    run = f"reproduction-of-{candidate_id}"
    return ReproducedReply(
        candidate_id=candidate_id, run_id=run, sample=0, at=START, output=words, error=None, fails=None, reason=""
    )


def reviewed(seen_as: Candidate) -> CandidateReview:
    """Return the review of a candidate; its snapshot quotes the user."""
    return CandidateReview(
        id=f"opinion-{seen_as.id}",
        candidate_id=seen_as.id,
        deployment="support",
        at=START,
        reviewer="ann",
        action=Action.REJECT,
        content=content_of(seen_as),
        snapshot=snapshot_of(seen_as),
        revision=0,
        applied=False,
    )


def reply(to: Case) -> ScoredOutcome:
    (text,) = to.references
    return answer(to.id, replace(score(1.0), reason=f"it says {text}"), text=text)


def settled(store: FileStore, clock: HandClock) -> None:
    clock.seconds += 60
    assert store.checkpoint_when_idle()


def test_the_words_are_in_no_column_and_no_byte_and_the_same_search_found_them_before(
    store: FileStore, path: Path, clock: HandClock
) -> None:
    with store.write() as tx:
        furnish(tx)
    assert where_in_tables(store, WORDS) == EVERYWHERE
    assert where_on_disk(path, WORDS) == {".wal"}
    settled(store, clock)
    assert where_on_disk(path, WORDS) == {""}

    with store.write() as tx:
        erased = erase_user(tx, "user-mine", START)
    assert where_in_tables(store, WORDS) == where_in_tables(store, "user-mine") == set()
    settled(store, clock)
    assert "" in where_on_disk(path, WORDS), "a delete alone leaves the bytes: this is why the file is compacted"

    store.compact(lambda tx: None)
    assert where_on_disk(path, WORDS) == where_on_disk(path, "user-mine") == set()
    assert where_in_tables(store, OTHERS) == EVERYWHERE
    assert where_on_disk(path, OTHERS) == {""}
    assert erased.sets == ("grown",)
    assert erased.removed == {
        "candidate": 1,
        "candidate_decision": 1,
        "candidate_review": 1,
        "dead_letter": 1,
        "eval_case": 1,
        "feedback": 2,
        "interaction": 1,
        "outcome": 1,
        "reproduction": 1,
        "reproduction_reply": 1,
        "score": 1,
        "span_content": 1,
        "turn_review": 1,
        "turn_signal": 1,
    }


def test_what_is_left_of_a_revision_is_named_by_its_own_hash_and_its_runs_name_it(tx: Tx) -> None:
    furnish(tx)
    erase_user(tx, "user-mine", START)
    left = evalsets.current(tx, "grown")
    assert left is not None
    assert read_cases(tx, "grown", left.revision, None) == [THEIRS]
    assert (left.revision, left.cases) == (revision_hash([THEIRS]), 1)
    past = runs.get(tx, "run-1")
    assert past is not None
    assert past.revision == left.revision
    assert [result.case_id for result in outcomes.case_results(tx, "run-1")] == ["case-theirs"]


def test_revisions_that_become_equal_become_one_and_the_newest_stays_current(tx: Tx) -> None:
    keep(tx, THEIRS)
    keep(tx, MINE, THEIRS, minutes=1)
    interactions.insert(tx, [interaction("mine", user_id="user-mine")])
    erase_user(tx, "user-mine", START)
    assert [r.revision for r in revisions(tx)] == [revision_hash([THEIRS])]
    current = evalsets.current(tx, "grown")
    assert current is not None
    assert current.created_at == at(1)


def revisions(tx: Tx) -> list[Revision]:
    return evalsets.page(tx, PageQuery()).items


def test_a_set_of_which_nothing_is_left_has_no_content_and_its_open_runs_fail(tx: Tx) -> None:
    kept = keep(tx, MINE)
    runs.insert(tx, run("run-2", set_name="grown", set_kind=SetKind.DYNAMIC, revision=kept))
    interactions.insert(tx, [interaction("mine", user_id="user-mine")])
    erase_user(tx, "user-mine", START)
    assert evalsets.current(tx, "grown") is None
    failed = runs.get(tx, "run-2")
    assert failed is not None
    assert (failed.state, failed.error) == (RunState.FAILED, "every case of its revision was erased")


def test_a_planned_run_asks_what_is_left(tx: Tx) -> None:
    kept = keep(tx, MINE, THEIRS)
    runs.insert(tx, run("run-2", set_name="grown", set_kind=SetKind.DYNAMIC, revision=kept, cases=2))
    interactions.insert(tx, [interaction("mine", user_id="user-mine")])
    erase_user(tx, "user-mine", START)
    planned = runs.get(tx, "run-2")
    assert planned is not None
    assert (planned.state, planned.cases, planned.revision) == (RunState.PLANNED, 1, revision_hash([THEIRS]))


def test_calls_without_a_user_in_the_same_trace_or_conversation_go_and_those_of_others_stay(tx: Tx) -> None:
    interactions.insert(
        tx,
        [
            interaction("named", user_id="u", trace_id="t", conversation_id="c"),
            interaction("tool", trace_id="t"),
            interaction("turn", conversation_id="c"),
            interaction("other-product", deployment="shop", conversation_id="c"),
            interaction("other-user", user_id="v", trace_id="t", conversation_id="c"),
            interaction("nobody"),
        ],
    )
    feedback.insert(tx, [signal("about-other", trace_id="t", linked_interaction_id="other-user")])
    assert erase_user(tx, "u", START).removed == {"interaction": 3}
    assert [interactions.get(tx, i) is None for i in ("other-product", "other-user", "nobody")] == [False] * 3
    assert feedback.count(tx) == 1


@pytest.mark.parametrize("raw", [b'"Zo\xc3\xab"', b'"Zo\\u00eb"', b"\xff\x00Zo\xc3\xab"], ids=["text", "json", "bytes"])
def test_a_dead_letter_goes_however_it_spells_the_user(tx: Tx, raw: bytes) -> None:
    for id_, content in (("a", raw), ("b", b'"Zoe"')):
        letter = DeadLetter(id=id_, received_at=START, source="http", code="malformed", reason="r", raw=content)
        dead_letters.insert(tx, [letter])
    assert erase_user(tx, "Zoë", START).removed == {"dead_letter": 1}
    assert dead_letters.count(tx) == 1


def test_a_remembered_answer_that_quotes_the_user_goes(tx: Tx) -> None:
    for key, body in (("a", '{"rejected":["user \'anna\' has no time"]}'), ("b", '{"accepted":1}')):
        entry = StoredResponse(key=key, route="/api/v1/interactions", request_hash="h", status=200, body=body, at=START)
        idempotency.put(tx, entry)
    assert erase_user(tx, "anna", START).removed == {"idempotency": 1}


def test_frozen_sets_are_not_touched(tx: Tx) -> None:
    evalsets.insert(tx, revision(cases=1), [stored_case("a", content=b'{"provenance":"interaction mine"}')])
    interactions.insert(tx, [interaction("mine", user_id="user-mine")])
    assert erase_user(tx, "user-mine", START).removed == {"interaction": 1}
    assert len(evalsets.cases(tx, "primes", "r1")) == 1


def test_a_user_nobody_knows_removes_nothing(tx: Tx) -> None:
    furnish(tx)
    assert erase_user(tx, "nobody", START).removed == {}
