from dataclasses import replace
from typing import Any

from monitor.domain.feedback import CandidateState
from monitor.domain.interaction import Document
from monitor.domain.review import Action, CandidateCounts, CandidateFilter, Decision
from monitor.store.engine.append import Inserted
from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.sets import candidates
from replay.types import Severity
from tests.store.build import START, assistant, at, candidate, user


def test_a_candidate_comes_back_as_it_was(tx: Tx) -> None:
    decided = candidate("c", state=CandidateState.ACCEPTED, decided_at=at(1), decided_by="ann")
    candidates.insert(tx, [decided])
    assert candidates.page(tx, PageQuery()).items == [decided]


def test_a_question_enters_a_deployment_once(tx: Tx) -> None:
    first = candidate("a", content_hash="h")
    assert candidates.insert(tx, [first, candidate("b", content_hash="h")]) == Inserted(accepted=1, duplicates=1)
    again = [candidate("c", content_hash="h"), candidate("d", content_hash="h", deployment="search")]
    assert candidates.insert(tx, again) == Inserted(accepted=1, duplicates=1)
    assert {item.id for item in candidates.page(tx, PageQuery()).items} == {"a", "d"}
    assert candidates.insert(tx, []) == Inserted(accepted=0, duplicates=0)


def test_accepted_candidates_come_newest_first_and_bounded(tx: Tx) -> None:
    rows = [candidate(f"c{n}", proposed_at=at(n), state=CandidateState.ACCEPTED) for n in range(4)]
    candidates.insert(tx, [*rows, candidate("proposed"), candidate("other", deployment="search")])
    assert [item.id for item in candidates.accepted(tx, "support", 3)] == ["c3", "c2", "c1"]


def decision(id_: str, candidate_id: str, **fields: Any) -> Decision:
    defaults: dict[str, Any] = {
        "deployment": "support", "at": START, "who": "ann", "action": Action.ACCEPT, "state": CandidateState.ACCEPTED,
    }  # fmt: skip
    return Decision(id=id_, candidate_id=candidate_id, **defaults | fields)


def test_everything_that_a_reviewer_changes_is_stored_with_an_entry_of_the_log(tx: Tx) -> None:
    talk = (user("Hi"), assistant("Hello"), user("Is 9 prime?"))
    first = candidate("c", input_text="Is 9 prime?", messages=talk, documents=(Document(content="9 is 3 x 3"),))
    candidates.insert(tx, [first, candidate("other")])
    changed = replace(
        first,
        state=CandidateState.ACCEPTED,
        edited_messages=(user("Is nine prime?"),),
        expected="no",
        must_include=("3",),
        must_not=("yes", "maybe"),
        category="composite",
        failure_category="arithmetic",
        severity=Severity.CRITICAL,
        decided_at=at(3),
        decided_by="ann",
        reason="seen",
        revision=1,
    )
    entry = decision("d", "c", at=at(3), changed=("input", "expected"), reason="seen")
    candidates.record(tx, [changed], [entry])
    assert candidates.by_ids(tx, ["c", "c", "unknown"]) == {"c": changed}
    assert candidates.decisions(tx, PageQuery()).items == [entry]
    assert candidates.decisions(tx, PageQuery(), "other").items == []


def test_the_list_is_narrowed_by_state_category_severity_and_readiness(tx: Tx) -> None:
    rows = [
        candidate("a", category="prime", proposed_at=at(1)),
        candidate("b", category="refunds", expected=" ", failure_category="tone", proposed_at=at(2)),
        candidate("c", expected="", must_not=("no",), severity=Severity.HIGH, proposed_at=at(3)),
        candidate("d", state=CandidateState.REJECTED, proposed_at=at(4)),
    ]
    candidates.insert(tx, rows)

    def found(**fields: Any) -> str:
        return "".join(item.id for item in candidates.page(tx, PageQuery(), CandidateFilter(**fields)).items)

    assert found() == "dcba"
    assert found(state=CandidateState.PROPOSED) == "cba"
    assert found(category="refunds") == "b"
    assert found(failure_category="tone") == "b"
    assert found(severity=Severity.HIGH) == "c"
    assert found(state=CandidateState.PROPOSED, ready=True) == "ca"
    assert found(ready=False) == "b"
    assert candidates.counts(tx) == {"support": CandidateCounts(proposed=3, ready=2, accepted=0, rejected=1)}


def test_a_later_correction_gives_an_untouched_candidate_its_expectation(tx: Tx) -> None:
    candidates.insert(tx, [candidate("thumb", expected="", content_hash="h")])
    better = candidate("edit", feedback_id="g", expected="no", bad_output="Yes.", content_hash="h")
    assert candidates.insert(tx, [better]) == Inserted(accepted=1, duplicates=0)
    [kept] = candidates.page(tx, PageQuery()).items
    assert (kept.id, kept.expected, kept.feedback_id, kept.bad_output) == ("thumb", "no", "g", "Yes.")
    assert candidates.insert(tx, [replace(better, expected="maybe")]) == Inserted(accepted=0, duplicates=1)


def test_a_candidate_that_a_reviewer_touched_keeps_what_the_reviewer_wrote(tx: Tx) -> None:
    candidates.insert(tx, [candidate("thumb", expected="", content_hash="h")])
    edited = candidate("thumb", expected="", must_not=("Yes",), content_hash="h", revision=1)
    candidates.record(tx, [edited], [decision("d", "thumb", action=Action.EDIT)])
    candidates.insert(tx, [candidate("edit", expected="no", content_hash="h")])
    assert candidates.page(tx, PageQuery()).items == [edited]


def test_of_two_corrections_of_one_question_the_one_that_says_what_is_right_enters(tx: Tx) -> None:
    rows = [candidate("a", expected="", content_hash="h"), candidate("b", expected="no", content_hash="h")]
    assert candidates.insert(tx, rows) == Inserted(accepted=1, duplicates=1)
    assert [item.expected for item in candidates.page(tx, PageQuery()).items] == ["no"]
