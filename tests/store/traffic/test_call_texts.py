import json

from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.interaction import ChatMessage
from monitor.store.engine.database import Tx
from monitor.store.engine.json_columns import messages_from_json, messages_to_json
from monitor.store.engine.schema import TABLES, table_from
from monitor.store.traffic import interactions
from monitor.store.traffic.call_texts import inputs_to_json, outputs_to_json
from monitor.store.traffic.interaction_codec import interaction_columns
from tests.store.build import assistant, interaction, user

MESSAGES = st.lists(
    st.builds(ChatMessage, role=st.sampled_from(["user", "assistant", "tool"]), content=st.text(max_size=5)), max_size=4
).map(tuple)


@given(asked=MESSAGES, answered=MESSAGES)
def test_every_message_comes_back_whichever_column_holds_its_text(
    asked: tuple[ChatMessage, ...], answered: tuple[ChatMessage, ...]
) -> None:
    item = interaction("a", input_messages=asked, output_messages=answered)
    assert messages_from_json(inputs_to_json(item), item.input_text) == asked
    assert messages_from_json(outputs_to_json(item), item.output_text) == answered


def test_a_question_and_its_answer_are_written_once(tx: Tx) -> None:
    asked, answered = (user("first"), assistant("well"), user("second")), (assistant("third"),)
    interactions.insert(tx, [interaction("a", input_messages=asked, output_messages=answered)])
    row = tx.query("interaction_by_id", id="a")[0]
    assert (row["input_text"], row["output_text"]) == ("second", "third")
    assert json.loads(row["input_messages"]) == [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "well"},
        {"role": "user"},
    ]
    assert json.loads(row["output_messages"]) == [{"role": "assistant"}]


def test_answers_of_several_messages_keep_their_own_texts(tx: Tx) -> None:
    answered = (assistant("x"), assistant("y"))
    interactions.insert(tx, [interaction("a", output_messages=answered)])
    found = interactions.get(tx, "a")
    assert found is not None
    assert found.output_messages == answered


def test_a_call_that_was_kept_with_all_its_texts_is_read_as_it_is(tx: Tx) -> None:
    item = interaction("a", input_messages=(user("one"), user("two")), output_messages=(assistant("three"),))
    older = {
        "input_messages": [messages_to_json(item.input_messages)],
        "output_messages": [messages_to_json(item.output_messages)],
    }
    tx.insert("interaction", table_from(TABLES["interaction"], {**interaction_columns([item]), **older}))
    assert interactions.get(tx, "a") == item
