import pytest

from monitor.domain.feedback import FeedbackKind
from monitor.domain.interaction import ContentState, Origin
from monitor.domain.link import Link, LinkMethod
from monitor.store import candidates, interactions
from monitor.store import feedback as signals
from monitor.store.database import Tx
from monitor.store.page import PageQuery
from tests.store.build import at, candidate, feedback, interaction, user


def test_a_signal_comes_back_as_it_was(tx: Tx) -> None:
    full = feedback(
        "f",
        received_at=at(5),
        kind=FeedbackKind.EDIT,
        source="reviewer",
        value=None,
        text="No, it is composite.",
        comment="see the divisor",
        expected="no",
        failure_category="wrong_answer",
        interaction_id="i",
        trace_id="t",
        span_id="s",
        response_id="r",
        conversation_id="c",
        is_correction=True,
    )
    signals.insert(tx, [full])
    assert signals.page(tx, PageQuery()).items == [full]


def test_a_signal_is_kept_once_even_when_a_resend_bears_another_time(tx: Tx) -> None:
    assert signals.insert(tx, [feedback("f"), feedback("f")]).duplicates == 1
    assert signals.insert(tx, [feedback("f", at=at(600)), feedback("g")]).accepted == 1
    assert signals.count(tx) == 2


def test_links_are_written_down_and_leave_the_list_of_unlinked(tx: Tx) -> None:
    signals.insert(tx, [feedback("f"), feedback("g")])
    signals.set_links(tx, [])
    signals.set_links(tx, [Link(feedback_id="f", interaction_id="i", method=LinkMethod.SPAN)])
    assert [item.id for item in signals.unlinked(tx, 10)] == ["g"]
    linked = {item.id: (item.linked_interaction_id, item.link_method) for item in signals.page(tx, PageQuery()).items}
    assert linked == {"f": ("i", "span"), "g": (None, None)}


def test_unlinked_signals_come_newest_first_so_that_hopeless_ones_do_not_stand_before_them(tx: Tx) -> None:
    signals.insert(tx, [feedback(f"f{n}", received_at=at(n)) for n in range(4)])
    assert [item.id for item in signals.unlinked(tx, 2)] == ["f3", "f2"]


def pairs(tx: Tx) -> list[tuple[str, str]]:
    return [(item.id, about.id) for item, about in signals.corrections_without_candidate(tx, "support", 10)]


def test_a_linked_correction_of_a_question_that_is_no_candidate_waits_for_one(tx: Tx) -> None:
    about = interaction("i")
    correction = feedback("f", expected="no", linked_interaction_id="i", link_method="span")
    interactions.insert(tx, [about])
    signals.insert(tx, [correction])
    assert signals.corrections_without_candidate(tx, "support", 10) == [(correction, about)]
    assert signals.corrections_without_candidate(tx, "search", 10) == []


@pytest.mark.parametrize(
    "known",
    [
        candidate("c", feedback_id="f", input_text="something else"),
        candidate("c", feedback_id="another", input_text=" Is 7 prime?\n"),
    ],
    ids=["its own candidate", "the same question"],
)
def test_a_correction_waits_no_more_once_its_question_is_a_candidate(tx: Tx, known: object) -> None:
    interactions.insert(tx, [interaction("i")])
    signals.insert(tx, [feedback("f", expected="no", linked_interaction_id="i")])
    assert pairs(tx) == [("f", "i")]
    candidates.insert(tx, [known])  # type: ignore[list-item]
    assert pairs(tx) == []


def test_the_same_question_in_another_deployment_is_another_candidate(tx: Tx) -> None:
    interactions.insert(tx, [interaction("i")])
    signals.insert(tx, [feedback("f", expected="no", linked_interaction_id="i")])
    candidates.insert(tx, [candidate("c", feedback_id="x", deployment="search")])
    assert pairs(tx) == [("f", "i")]


@pytest.mark.parametrize(
    ("signal", "about"),
    [
        ({"expected": None}, {}),
        ({"expected": "  "}, {}),
        ({"kind": FeedbackKind.COMMENT, "text": "no", "expected": None}, {}),
        ({"linked_interaction_id": None}, {}),
        ({}, {"origin": Origin.SEALED_MATCH}),
        ({}, {"input_messages": ()}),
        ({}, {"input_messages": (user("  "),)}),
        ({}, {"content_state": ContentState.TRUNCATED}),
    ],
)
def test_what_can_never_become_a_case_does_not_wait(
    tx: Tx, signal: dict[str, object], about: dict[str, object]
) -> None:
    interactions.insert(tx, [interaction("i", **about)])
    signals.insert(tx, [feedback("f", **{"expected": "no", "linked_interaction_id": "i"} | signal)])
    assert pairs(tx) == []


def test_an_edit_says_what_the_output_should_have_been(tx: Tx) -> None:
    interactions.insert(tx, [interaction("i")])
    signals.insert(tx, [feedback("f", kind=FeedbackKind.EDIT, text="No.", linked_interaction_id="i")])
    assert pairs(tx) == [("f", "i")]
