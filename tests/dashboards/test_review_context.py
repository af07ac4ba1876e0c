"""Texts of the Review page about a decision."""

from dashboards.panels.review.review_context import receipt_news
from monitor.api.schema.reviews import OtherReview, ReviewReceipt
from tests.api.house import NOW
from tests.cli.review.fakes import revealed, sheet


def receipt(*others: OtherReview, **fields: object) -> ReviewReceipt:
    known = {"review_id": "mine", "candidate_id": "c", "state": "accepted", "standing": "decided", "agrees": None}
    return ReviewReceipt.model_validate({**known, "sheet": sheet("c", revealed=revealed(*others)), **fields})


def review(id_: str, reviewer: str) -> OtherReview:
    return OtherReview(
        id=id_, reviewer=reviewer, at=NOW, action="reject", edits=[], reason=None, blind=True, second=False, seconds=1.0
    )


def test_a_decision_reveals_the_model_and_the_decisions_of_others() -> None:
    news = receipt_news("Accepted", receipt(review("other", "ben"), review("mine", "ana")))
    assert "gpt-4, corrected by user" in news
    assert "ben" in news
    assert "reject" in news
    assert "ana" not in news


def test_a_decision_that_needs_a_second_person_is_reported_as_waiting() -> None:
    assert "waits for a second reviewer" in receipt_news("Accepted", receipt(standing="waiting"))
    assert "conflict" in receipt_news("Accepted", receipt(standing="conflict"))
