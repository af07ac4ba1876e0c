import pytest

from monitor.domain.feedback import CandidateState
from monitor.errors import NotFound
from monitor.store import candidates
from monitor.store.append import Inserted
from monitor.store.database import Tx
from monitor.store.page import PageQuery
from tests.store.build import at, candidate


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


def test_a_decision_is_written_down_with_who_and_when(tx: Tx) -> None:
    candidates.insert(tx, [candidate("c")])
    candidates.decide(tx, "c", CandidateState.REJECTED, "ann", at(3))
    [decided] = candidates.page(tx, PageQuery()).items
    assert (decided.state, decided.decided_by, decided.decided_at) == (CandidateState.REJECTED, "ann", at(3))


def test_a_decision_about_an_unknown_candidate_is_told(tx: Tx) -> None:
    with pytest.raises(NotFound, match="candidate 'c' is unknown"):
        candidates.decide(tx, "c", CandidateState.ACCEPTED, "ann", at(0))
