import pytest
from msgspec.structs import replace

from monitor.domain.interaction import ContentState, FinishReason, Interaction, Origin, SpanContent, Status
from monitor.store.engine.database import Tx
from monitor.store.traffic import interactions
from monitor.store.traffic.late_texts import insert_content, join_content
from replay.targets.prompt import prompt_hash
from tests.store.build import START, assistant, at, interaction, span_content, user

BARE = interaction(
    "a", trace_id="t", span_id="s", input_messages=(), output_messages=(), content_state=ContentState.ABSENT
)
ENDED = {"finish_reason": FinishReason.STOP, "finish_reason_raw": "end_turn"}
TEXTS = span_content("t", input_messages=(user("Is 7 prime?"),), output_messages=(assistant("Yes."),))


def kept(tx: Tx, id_: str = "a") -> Interaction:
    found = interactions.get(tx, id_)
    assert found is not None
    return found


def waiting(tx: Tx) -> int:
    return len(tx.query("content_with_span", since=at(-9999), spans_since=at(-9999)))


@pytest.mark.parametrize("span_first", [True, False])
def test_texts_join_their_span_whichever_came_first(tx: Tx, *, span_first: bool) -> None:
    if span_first:
        interactions.insert(tx, [BARE])
        assert join_content(tx, START) == 0
        insert_content(tx, [TEXTS])
    else:
        insert_content(tx, [TEXTS])
        assert join_content(tx, START) == 0
        interactions.insert(tx, [BARE])
    assert join_content(tx, START) == 1
    filled = replace(
        BARE,
        input_messages=TEXTS.input_messages,
        output_messages=TEXTS.output_messages,
        content_state=ContentState.FULL,
    )
    assert kept(tx) == filled
    row = tx.one("interaction_by_id", id="a")
    assert row is not None
    assert (row["input_text"], row["output_text"]) == ("Is 7 prime?", "Yes.")
    assert join_content(tx, START) == 0
    assert waiting(tx) == 0


def test_several_texts_of_one_span_merge_in_their_order_of_arrival(tx: Tx) -> None:
    insert_content(
        tx,
        [
            span_content("t", input_messages=(user("one"),), received_at=at(0)),
            span_content(
                "t",
                output_messages=(assistant("out"),),
                finish_reason=FinishReason.STOP,
                finish_reason_raw="end_turn",
                received_at=at(2),
            ),
            span_content("t", input_messages=(user("two"),), received_at=at(1)),
            span_content("t", input_messages=(user("three"),), received_at=at(1)),
        ],
    )
    interactions.insert(tx, [BARE])
    assert join_content(tx, at(2)) == 1
    filled = kept(tx)
    assert [message.content for message in filled.input_messages] == ["one", "two", "three"]
    assert (filled.output_text, filled.finish_reason, filled.finish_reason_raw) == ("out", "stop", "end_turn")


def test_half_of_the_texts_make_it_partial_and_the_rest_completes_it(tx: Tx) -> None:
    interactions.insert(tx, [BARE])
    insert_content(tx, [span_content("t", input_messages=(user("in"),))])
    assert join_content(tx, START) == 1
    assert kept(tx).content_state is ContentState.PARTIAL
    insert_content(tx, [span_content("t", received_at=at(1), output_messages=(assistant("out"),))])
    assert join_content(tx, at(1)) == 1
    assert kept(tx).content_state is ContentState.FULL
    assert (kept(tx).input_text, kept(tx).output_text) == ("in", "out")


def test_a_text_that_ended_early_makes_its_call_truncated_and_what_completes_it_does_not_hide_that(tx: Tx) -> None:
    interactions.insert(tx, [BARE])
    insert_content(tx, [span_content("t", input_messages=(user("in the beginn"),), cut=True)])
    assert join_content(tx, START) == 1
    assert kept(tx).content_state is ContentState.TRUNCATED
    insert_content(tx, [span_content("t", received_at=at(1), output_messages=(assistant("out"),))])
    assert join_content(tx, at(1)) == 1
    assert (kept(tx).content_state, kept(tx).output_text) == (ContentState.TRUNCATED, "out")


def test_a_text_of_which_nothing_is_left_but_that_it_was_cut_tells_that_too(tx: Tx) -> None:
    interactions.insert(tx, [BARE])
    insert_content(tx, [span_content("t", cut=True)])
    assert join_content(tx, START) == 1
    assert kept(tx).content_state is ContentState.TRUNCATED


def test_texts_that_the_span_has_itself_stay_and_the_others_are_removed(tx: Tx) -> None:
    whole = interaction("a", trace_id="t", span_id="s")
    interactions.insert(tx, [whole])
    insert_content(tx, [span_content("t", input_messages=(user("other"),))])
    assert join_content(tx, START) == 0
    assert kept(tx) == whole
    assert waiting(tx) == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"content_state": ContentState.REDACTED},
        {"origin": Origin.REPLAY},
        {"origin": Origin.SEALED_MATCH},
    ],
)
def test_an_echo_or_a_redacted_interaction_gets_no_texts_and_they_are_removed(
    tx: Tx, fields: dict[str, object]
) -> None:
    bare = replace(BARE, **fields)
    interactions.insert(tx, [bare])
    insert_content(tx, [TEXTS])
    assert join_content(tx, START) == 0
    assert kept(tx) == bare
    assert waiting(tx) == 0


def test_a_system_prompt_brings_its_hash_and_the_identity_is_decided_anew(tx: Tx) -> None:
    interactions.insert(tx, [replace(BARE, identity="before", response_model="gpt-4")])
    insert_content(tx, [replace(TEXTS, system_prompt="Answer yes or no.")])
    assert join_content(tx, START, identify=lambda item: f"{item.response_model}/{item.prompt_hash}") == 1
    digest = prompt_hash("Answer yes or no.")
    assert (kept(tx).system_prompt, kept(tx).prompt_hash) == ("Answer yes or no.", digest)
    assert kept(tx).identity == f"gpt-4/{digest}"


def test_without_a_system_prompt_the_identity_stays(tx: Tx) -> None:
    interactions.insert(tx, [replace(BARE, identity="before")])
    insert_content(tx, [TEXTS])
    join_content(tx, START, identify=lambda _: "after")
    assert kept(tx).identity == "before"


def test_texts_without_a_span_stay_but_are_not_looked_at_for_ever(tx: Tx) -> None:
    insert_content(tx, [TEXTS])
    interactions.insert(tx, [replace(BARE, received_at=at(11))])
    assert join_content(tx, at(11)) == 0
    assert waiting(tx) == 1
    assert join_content(tx, at(11), grace_s=3600) == 1


def test_texts_of_one_span_do_not_reach_another(tx: Tx) -> None:
    interactions.insert(tx, [BARE, replace(BARE, id="b", span_id="s2"), replace(BARE, id="c", trace_id="t2")])
    insert_content(tx, [TEXTS, SpanContent(trace_id="t2", span_id="s9", received_at=START)])
    assert join_content(tx, START) == 1
    assert [kept(tx, key).content_state for key in ("a", "b", "c")] == [
        ContentState.FULL,
        ContentState.ABSENT,
        ContentState.ABSENT,
    ]


@pytest.mark.parametrize(
    ("result", "finish_reason", "known"),
    [
        (Status.INCOMPLETE, FinishReason.STOP, Status.OK),
        (Status.OK, FinishReason.ERROR, Status.INCOMPLETE),
        (Status.OK, None, Status.OK),
        (Status.INCOMPLETE, None, Status.INCOMPLETE),
        (Status.ERROR, FinishReason.STOP, Status.ERROR),
    ],
)
def test_the_texts_tell_how_the_output_ended(
    tx: Tx, result: Status, finish_reason: FinishReason | None, known: Status
) -> None:
    interactions.insert(tx, [replace(BARE, status=result)])
    insert_content(tx, [replace(TEXTS, finish_reason=finish_reason)])
    join_content(tx, START)
    assert kept(tx).status is known


def test_texts_sent_again_before_their_span_came_are_there_once_but_a_repeated_word_stays(tx: Tx) -> None:
    for minute in (0, 1):  # the second request is the first one sent again
        insert_content(
            tx,
            [
                span_content("t", input_messages=(user(word),), received_at=at(minute))
                for word in ("yes", "why?", "yes")
            ],
        )
    interactions.insert(tx, [BARE])
    join_content(tx, at(2))
    assert [message.content for message in kept(tx).input_messages] == ["yes", "why?", "yes"]
