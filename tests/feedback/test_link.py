from datetime import timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.feedback import Link, LinkCandidate, LinkMethod
from monitor.feedback.link import choose_link, choose_links
from tests.feedback.build import T0


def match(method: LinkMethod, interaction: str = "i1", at: int = 0, feedback: str = "f1") -> LinkCandidate:
    started_at = T0 + timedelta(seconds=at)
    return LinkCandidate(feedback_id=feedback, interaction_id=interaction, method=method, started_at=started_at)


def test_the_keys_are_trusted_in_this_order() -> None:
    assert [str(method) for method in LinkMethod] == ["interaction_id", "span", "response_id", "trace", "conversation"]


def test_the_more_trusted_key_wins_over_the_later_interaction() -> None:
    chosen = choose_link([match(LinkMethod.CONVERSATION, "late", at=60), match(LinkMethod.SPAN, "right", at=0)])
    assert chosen == Link(feedback_id="f1", interaction_id="right", method=LinkMethod.SPAN)


def test_of_the_calls_of_one_trace_the_last_is_meant() -> None:
    chosen = choose_link([match(LinkMethod.TRACE, "first", at=0), match(LinkMethod.TRACE, "answer", at=5)])
    assert chosen is not None
    assert chosen.interaction_id == "answer"


def test_no_candidate_is_no_link() -> None:
    assert choose_link([]) is None
    assert choose_links([]) == []


def test_each_feedback_gets_its_own_link() -> None:
    rows = [match(LinkMethod.TRACE, "a", feedback="f1"), match(LinkMethod.SPAN, "b", feedback="f2")]
    rows.append(match(LinkMethod.INTERACTION_ID, "c", feedback="f1"))
    assert {link.feedback_id: link.interaction_id for link in choose_links(rows)} == {"f1": "c", "f2": "b"}


candidates = st.lists(
    st.builds(match, st.sampled_from(list(LinkMethod)), st.sampled_from("abcd"), st.integers(0, 3)), min_size=1
)


@given(candidates, st.randoms(use_true_random=False))
def test_the_choice_does_not_depend_on_the_order_of_rows(rows: list[LinkCandidate], random: Random) -> None:
    shuffled = random.sample(rows, len(rows))
    assert choose_link(shuffled) == choose_link(rows)


@given(candidates)
def test_no_candidate_has_a_more_trusted_key_than_the_chosen_one(rows: list[LinkCandidate]) -> None:
    chosen = choose_link(rows)
    assert chosen is not None
    assert chosen.method.rank == min(row.method.rank for row in rows)
