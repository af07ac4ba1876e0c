import hashlib

import pytest

from monitor.domain.feedback import Candidate, CandidateState, Feedback
from monitor.domain.feedback import FeedbackKind as Kind
from monitor.domain.interaction import ContentState, Interaction, Origin
from monitor.feedback.propose import NoCase, content_hash, propose, why_not
from tests.feedback.build import T0, a_feedback, an_interaction

TAXONOMY = ("wrong_answer",)


def test_a_correction_with_an_expectation_proposes_a_case() -> None:
    feedback = a_feedback(Kind.REPORT, expected="[Yes]", failure_category="Wrong_answer")
    assert propose(feedback, an_interaction(category="prime"), TAXONOMY, T0, "cand-1") == Candidate(
        id="cand-1",
        deployment="support",
        interaction_id="i1",
        feedback_id="f1",
        input_text="Is 17 prime?",
        expected="[Yes]",
        category="prime",
        failure_category="wrong_answer",
        content_hash=hashlib.sha256(b"Is 17 prime?").hexdigest(),
        state=CandidateState.PROPOSED,
        proposed_at=T0,
    )


def test_the_text_of_an_edit_is_what_was_expected() -> None:
    candidate = propose(a_feedback(Kind.EDIT, text="[Yes]"), an_interaction(), TAXONOMY, T0, "c")
    assert candidate is not None
    assert candidate.expected == "[Yes]"


def test_expected_wins_over_the_edit() -> None:
    candidate = propose(a_feedback(Kind.EDIT, text="[Maybe]", expected="[Yes]"), an_interaction(), TAXONOMY, T0, "c")
    assert candidate is not None
    assert candidate.expected == "[Yes]"


def test_nothing_said_about_category_is_uncategorised() -> None:
    candidate = propose(a_feedback(expected="[Yes]"), an_interaction(), TAXONOMY, T0, "c")
    assert candidate is not None
    assert (candidate.category, candidate.failure_category) == ("uncategorised", "uncategorised")


@pytest.mark.parametrize(
    ("feedback", "interaction", "reason"),
    [
        (a_feedback(value=1.0), an_interaction(), NoCase.NO_CORRECTION),
        (a_feedback(value=-1.0), an_interaction(), NoCase.NO_EXPECTATION),
        (a_feedback(text="[Yes]", value=-1.0), an_interaction(), NoCase.NO_EXPECTATION),
        (a_feedback(Kind.EDIT, text="[No]"), an_interaction(), NoCase.NO_CORRECTION),
        (a_feedback(Kind.EDIT, text=" "), an_interaction(), NoCase.NO_EXPECTATION),
        (a_feedback(expected="x"), an_interaction(question=""), NoCase.NO_INPUT),
        (a_feedback(expected="x"), an_interaction(question=" \n"), NoCase.NO_INPUT),
        (a_feedback(expected="x"), an_interaction(content_state=ContentState.TRUNCATED), NoCase.NO_INPUT),
        (a_feedback(expected="x"), an_interaction(origin=Origin.REPLAY), NoCase.NOT_PRODUCTION),
        (a_feedback(expected="x"), an_interaction(origin=Origin.SEALED_MATCH), NoCase.NOT_PRODUCTION),
    ],
)
def test_no_case_has_a_named_reason(feedback: Feedback, interaction: Interaction, reason: NoCase) -> None:
    assert why_not(feedback, interaction) is reason
    assert propose(feedback, interaction, TAXONOMY, T0, "c") is None


def test_the_same_question_written_otherwise_has_the_same_hash() -> None:
    assert content_hash("  cafe\u0301?\n") == content_hash("caf\u00e9?")
    assert content_hash("cafe?") != content_hash("caf\u00e9?")
