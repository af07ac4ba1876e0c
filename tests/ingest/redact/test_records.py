"""Redaction of whole records: every text in every field."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields

from monitor.domain.interaction import ChatMessage, SpanContent, ToolCall
from monitor.domain.redaction import Action, Kind
from monitor.ingest.redact.redactor import COUNTS, Redactor
from monitor.ingest.redact.rules import Rules, RulesByDeployment
from monitor.ingest.redact.walk import STRUCTURE, changed
from tests.ingest.build import NOW, alone, feedback, interaction, user
from tests.ingest.pipeline import NOTHING_REDACTED

MAIL, CARD = "anna@example.org", "4111 1111 1111 1111"
REDACTOR = Redactor(RulesByDeployment(), b"of this test")


def test_every_text_field_of_a_call_is_redacted() -> None:
    plain = interaction(trace_id="a" * 32)
    texts = [f.name for f in fields(plain) if "str" in str(f.type) and f.name not in STRUCTURE]
    assert {"id", "system_prompt", "conversation_id", "error_class"} <= set(texts)
    for name in texts:
        if isinstance(getattr(plain, name), str | None):
            redacted = alone(REDACTOR, changed(plain, {name: f"of {MAIL}"}))
            assert MAIL not in str(redacted), name
            assert redacted.attributes[COUNTS] == {"email": 1}, name


def test_messages_and_tool_calls_are_redacted_and_arguments_stay_json() -> None:
    call = ToolCall(id="call-1", name="pay", arguments=json.dumps({"pan": 4111111111111111, "mail": MAIL}))
    item = alone(
        REDACTOR,
        interaction(
            input_messages=(user(f"I am {MAIL}"), ChatMessage(role="tool", content=CARD, tool_call_id="call-1")),
            output_messages=(ChatMessage(role="assistant", content="", tool_calls=(call,)),),
        ),
    )
    assert json.loads(item.output_messages[0].tool_calls[0].arguments)["pan"] == item.input_messages[1].content
    assert item.attributes[COUNTS] == {"card": 2, "email": 2}
    assert item.input_messages[1].tool_call_id == "call-1"


def test_attributes_are_redacted_at_any_depth_and_machine_attributes_are_dropped() -> None:
    told: dict[str, Any] = {
        "exception.stacktrace": "File x, line 3",
        "process.pid": 7,
        "host.name": "box",
        "telemetry.sdk.language": "python",
        "retrieval.embedding.vector": [0.1],
        "app.topic": "refund",
        "deep": {"list": [1, 2.5, None, True, f"to {MAIL}"], MAIL: 4111111111111111},
        "user.id": "anna",
    }
    kept = alone(REDACTOR, interaction(attributes=told)).attributes
    mail = REDACTOR.text(MAIL)
    assert kept == {
        "app.topic": "refund",
        "deep": {"list": [1, 2.5, None, True, f"to {mail}"], mail: REDACTOR.text(CARD)},
        "user.id": REDACTOR.user("anna"),
        COUNTS: {"card": 1, "email": 2},
    }


def test_a_user_id_is_a_hash_and_the_same_one_everywhere() -> None:
    first, second = (alone(REDACTOR, interaction(id, user_id="anna")).user_id for id in ("a", "b"))  # noqa: A001
    assert first == second == REDACTOR.user("anna") != REDACTOR.user("bert")
    assert REDACTOR.user(REDACTOR.user("anna")) == REDACTOR.user("anna")
    keeping = Redactor(RulesByDeployment(default=Rules(hash_users=False)), b"of this test")
    assert alone(keeping, interaction(user_id="anna")).user_id == "anna"


def test_a_record_without_private_values_is_the_same_object() -> None:
    item, signal = interaction(attributes={"a": 1}, trace_id="a" * 32), feedback(comment="too long")
    content = SpanContent(trace_id="a" * 32, span_id="b" * 16, received_at=NOW, input_messages=(user("refund?"),))
    assert alone(REDACTOR, item) is item
    assert REDACTOR.feedback(signal) is signal
    assert REDACTOR.content(content) is content


def test_a_redacted_record_stays_as_it_is() -> None:
    item = alone(REDACTOR, interaction(user_id="anna", input_messages=(user(f"{MAIL} {CARD}"),)))
    assert alone(REDACTOR, item) is item


def test_numbers_in_ids_are_not_cards_and_addresses_in_ids_are_redacted() -> None:
    item = interaction("4111111111111111", conversation_id=MAIL)
    redacted = alone(REDACTOR, item)
    assert redacted.id == "4111111111111111"
    signal = REDACTOR.feedback(feedback(conversation_id=MAIL, comment=CARD, expected=MAIL, text=None))
    assert signal.conversation_id == redacted.conversation_id == signal.expected
    assert signal.comment == REDACTOR.text(CARD)


def test_a_deployment_has_its_own_rules_and_a_text_without_one_the_strictest() -> None:
    lenient = Rules(actions={Kind.EMAIL: Action.KEEP})
    redactor = Redactor(
        RulesByDeployment(default=lenient, own={"clinic": Rules(patterns={"patient": r"P-\d{4}"})}), b"of this test"
    )
    text = f"P-1234 {MAIL}"
    assert redactor.text(text, "shop") == text
    assert "1234" not in redactor.text(text, "clinic")
    assert "1234" not in redactor.text(text)
    assert MAIL not in redactor.text(text)


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps({"type": "interaction", "user_id": "anna-k7", "messages": [f"it is {MAIL}"], "n": 4111111111111111}),
        json.dumps({"a": json.dumps({"b": json.dumps({"user_id": "anna-k7", "c": f"x\n{MAIL}\n{CARD}"})})}),
        json.dumps({"user.id": "anna-k7", "text": f"{MAIL} {CARD}"}, ensure_ascii=True).replace("@", "\\u0040"),
        json.dumps({"attributes": [{"key": "user.id", "value": {"stringValue": "anna-k7"}}], "t": [MAIL, CARD]}),
        '{"user_id": "anna-k7", "cut": "to ' + MAIL + " or " + CARD,
        f"no JSON at all, {MAIL}, {CARD}",
    ],
)
def test_an_unreadable_record_is_stored_without_private_values(raw: str) -> None:
    kept = REDACTOR.raw(raw.encode())
    for private in (MAIL, CARD, "4111111111111111", "example.org", "anna-k7"):
        assert private.encode() not in kept
    assert REDACTOR.raw(kept) == kept


def test_an_unreadable_json_record_stays_json() -> None:
    raw = json.dumps({"n": 4111111111111111, "process.pid": 3, "x": [1, "é", MAIL], "user_id": None})
    kept = json.loads(REDACTOR.raw(raw.encode()))
    assert kept == {"n": REDACTOR.text(CARD), "x": [1, "é", REDACTOR.text(MAIL)], "user_id": None}


@given(st.binary(max_size=200))
def test_any_bytes_are_accepted_and_without_a_hit_unchanged(raw: bytes) -> None:
    once = REDACTOR.raw(raw)
    assert REDACTOR.raw(once) == once
    assert NOTHING_REDACTED.raw(raw) == raw


def test_the_version_of_a_price_table_is_not_a_phone_number() -> None:
    """The version of a price table is a date. If it were scanned as text, every call with a price would be scanned
    twice.
    """
    priced = interaction(cost_usd=0.01, price_table="2026-11-22", attributes={})
    assert alone(REDACTOR, priced) is priced


@given(st.lists(st.sampled_from(["all is well", f"to {MAIL}", CARD, "2026"]), max_size=90), st.booleans())
def test_many_records_together_give_the_result_of_each_alone(texts: list[str], of_two: bool) -> None:
    rules = RulesByDeployment(own={"other": Rules(actions={Kind.EMAIL: Action.MASK})})
    redactor = Redactor(rules, b"of this test")
    items = [
        interaction(
            f"c{i}",
            input_messages=(user(text),),
            system_prompt=texts[i - 1],
            deployment="other" if of_two and i % 3 == 0 else "support",
        )
        for i, text in enumerate(texts)
    ]
    assert redactor.interactions(items) == tuple(alone(redactor, item) for item in items)
