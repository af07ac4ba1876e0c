"""Fields that one report of a call takes from another."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from monitor.domain.filling import differences, gaps
from monitor.domain.interaction import ChatMessage, ContentState, CostSource, FinishReason, Interaction, Status
from tests.domain.traces import START

ASKED, SAID = (ChatMessage(role="user", content="refund?"),), (ChatMessage(role="assistant", content="30 days"),)


def call(**fields: Any) -> Interaction:
    defaults: dict[str, Any] = {"content_state": ContentState.ABSENT, "source": "otlp", "convention": "otel-genai"}
    return Interaction(id="a", deployment="support", started_at=START, received_at=START, **defaults | fields)


def told(**fields: Any) -> Interaction:
    return call(**{"input_messages": ASKED, "output_messages": SAID, "content_state": ContentState.FULL} | fields)


def test_texts_complete_a_call_without_any() -> None:
    assert gaps(call(), told()) == {
        "input_messages": ASKED,
        "output_messages": SAID,
        "content_state": ContentState.FULL,
    }


@pytest.mark.parametrize("state", [ContentState.REDACTED, ContentState.ABSENT])
def test_hidden_texts_neither_fill_nor_are_filled(state: ContentState) -> None:
    assert gaps(call(), told(content_state=state)) == {}
    assert gaps(call(content_state=ContentState.REDACTED), told()) == {}


def test_a_truncated_text_stays_truncated() -> None:
    assert gaps(call(), told(content_state=ContentState.TRUNCATED))["content_state"] is ContentState.TRUNCATED


def test_an_answer_does_not_fill_a_failed_call() -> None:
    found = gaps(call(status=Status.ERROR), told())
    assert "output_messages" not in found
    assert found["content_state"] is ContentState.FULL


def test_a_finish_reason_sets_the_status_of_a_stream() -> None:
    stream = call(status=Status.INCOMPLETE)
    assert gaps(stream, call(finish_reason=FinishReason.STOP))["status"] is Status.OK
    broken_off = call(finish_reason=FinishReason.OTHER, status=Status.INCOMPLETE)
    assert "status" not in gaps(stream, broken_off)
    assert gaps(call(), broken_off)["status"] is Status.INCOMPLETE
    assert "status" not in gaps(call(status=Status.ERROR), call(finish_reason=FinishReason.STOP))


def test_a_version_is_filled_only_for_the_same_prompt() -> None:
    versioned = call(prompt_id="support", prompt_version="7")
    assert gaps(call(prompt_id="support"), versioned) == {"prompt_version": "7"}
    assert gaps(call(prompt_id="sales"), versioned) == {}


def test_an_emitted_cost_replaces_a_computed_one() -> None:
    computed = call(cost_usd=0.4, cost_source=CostSource.COMPUTED, price_table="v1")
    emitted = call(cost_usd=0.5, cost_source=CostSource.EMITTED)
    assert gaps(computed, emitted) == {"cost_usd": 0.5, "cost_source": CostSource.EMITTED, "price_table": None}
    assert gaps(emitted, computed) == {}


def test_an_error_without_a_name_takes_the_name_from_the_other_report() -> None:
    named = call(status=Status.ERROR, error_type="RateLimitError", error_class="rate_limit")
    assert gaps(call(status=Status.ERROR, error_type="_OTHER", error_class="other"), named) == {
        "error_type": "RateLimitError",
        "error_class": "rate_limit",
    }
    assert gaps(call(status=Status.ERROR, error_type="Timeout"), named) == {}


def test_settled_fields_are_neither_filled_nor_compared() -> None:
    other = call(response_id="r", provider="azure")
    assert gaps(call(), other, frozenset(["response_id"])) == {"provider": "azure"}
    assert differences(call(provider="openai"), other) == {"provider": "azure"}
    assert differences(call(provider="openai"), other, frozenset(["provider"])) == {}


PLAIN = {
    "response_id": st.sampled_from([None, "r", "s"]),
    "input_tokens": st.sampled_from([None, 0, 7]),
    "temperature": st.sampled_from([None, 0.0, 1.0]),
    "conversation_id": st.sampled_from([None, "c", "d"]),
    "finish_reason": st.sampled_from([None, FinishReason.STOP, FinishReason.LENGTH]),
    "input_messages": st.sampled_from([(), ASKED]),
    "output_messages": st.sampled_from([(), SAID]),
    "content_state": st.sampled_from(ContentState),
    "status": st.sampled_from(Status),
}


@given(st.fixed_dictionaries(PLAIN), st.fixed_dictionaries(PLAIN))
def test_filling_overwrites_nothing_and_is_idempotent(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = call(**one), call(**other)
    filled = replace(first, **gaps(first, second))
    for name, value in one.items():
        if value not in (None, ()) and name not in ("content_state", "status"):
            assert getattr(filled, name) == value, name
    assert (filled.status is Status.ERROR) is (first.status is Status.ERROR)
    assert gaps(filled, second) == {}
