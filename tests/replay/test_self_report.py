import hashlib
from typing import Any

import pytest

from replay.self_report import SelfReport
from replay.types import Case, Message, Reply

QUESTION = "Which refund does Mrs Petrova of Leipzig get for her broken kettle?"
CASE = Case(id="c1", input=(Message(role="user", content=QUESTION),), references=("the whole price, 49.90 EUR",))
REPORT = SelfReport(digest=lambda text: hashlib.sha256(text.encode()).hexdigest(), model="gpt-4")


def told(case: Case = CASE, **fields: Any) -> Reply:
    return REPORT.of(case, Reply(text="She gets the whole price.", latency_ms=1.0, **fields))


@pytest.mark.parametrize(
    "value",
    ["gpt-4", "gpt-4-0314", "claude-sonnet-4@20260101", "meta-llama/Llama-3.1-8B-Instruct", "fp_44709d6fcb",
     "chatcmpl-AbC123dEf456", "550e8400-e29b-41d4-a716-446655440000", "m", "7"],
)  # fmt: skip
def test_an_identifier_is_kept(value: str) -> None:
    reply = told(model=value, system_fingerprint=value, response_id=value, reported={"shard": value})
    assert {reply.model, reply.system_fingerprint, reply.response_id, reply.reported["shard"]} == {value}


@pytest.mark.parametrize(
    "value",
    [
        QUESTION,
        QUESTION[:40],
        f"chatcmpl-{QUESTION}",
        QUESTION.lower().replace(" ", "-"),
        f"gpt-4-{QUESTION.replace(' ', '_')}",
        "Petrova",
        "brokenkettle",
        "the whole price, 49.90 EUR",
        "She gets the whole price.",
        "a sentence that nobody expects",
    ],
)
def test_what_restates_the_case_or_is_no_identifier_is_hidden(value: str) -> None:
    reply = told(model=value, system_fingerprint=value, response_id=value, finish_reason=value, reported={value: value})
    hidden = {reply.model, reply.system_fingerprint, reply.response_id, reply.finish_reason, *reply.reported.items()}
    assert value not in str(hidden)
    assert str(reply.model).startswith("hidden-")


def test_a_short_question_is_found_in_a_value() -> None:
    short = Case(id="c", input=(Message(role="user", content="17077?"),))
    assert told(short, response_id="r-17077").response_id != "r-17077"


def test_equal_values_have_equal_digests_and_others_have_others() -> None:
    assert told(model="my own model").model == told(model="my own model").model
    assert told(model="my own model").model != told(model="my other model").model


@pytest.mark.parametrize("reason", ["stop", "length", "max_tokens", "tool_calls"])
def test_a_known_finish_reason_is_kept_whatever_the_case_says(reason: str) -> None:
    case = Case(id="c", input=(Message(role="user", content=f"What does {reason} mean, and its length?"),))
    assert told(case, finish_reason=reason).finish_reason == reason


def test_the_configured_model_is_kept_though_the_case_names_it() -> None:
    case = Case(id="c", input=(Message(role="user", content="Is gpt-4 better than gpt-3.5?"),))
    assert told(case, model="gpt-4").model == "gpt-4"
    assert told(case, model="gpt-4-0613").model == "gpt-4-0613"
