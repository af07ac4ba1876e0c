"""The status of a call, which all conventions read the same way."""

import json
from typing import Any

import pytest

from monitor.domain.interaction import Status
from monitor.ingest.conventions.genai.convention import GenAI
from tests.ingest.build import context, event, span

ASKED = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "refund?"}]}])
ANSWERED = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "30 days."}]}])
SILENT = {"gen_ai.response.finish_reasons": None, "gen_ai.response.model": None, "gen_ai.input.messages": ASKED}


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, Status.INCOMPLETE),
        ({"gen_ai.output.messages": ANSWERED}, Status.OK),
        ({"gen_ai.response.id": "r-1"}, Status.OK),
        ({"gen_ai.usage.output_tokens": 0}, Status.OK),
        ({"gen_ai.response.finish_reasons": ["stop"]}, Status.OK),
        ({"gen_ai.input.messages": None}, Status.OK),
    ],
)
def test_a_call_with_its_input_and_nothing_of_an_answer_is_incomplete(more: dict[str, Any], status: Status) -> None:
    """The call is an abandoned stream. Without input, the sender may omit texts, or send them in events."""
    assert GenAI().read_call(span(SILENT | more), context()).status is status


@pytest.mark.parametrize(
    ("error_type", "status", "failure"),
    [
        ("APICallError", 400, "bad_request"),
        ("APICallError", "503", "server_error"),
        ("RateLimitError", 400, "rate_limit"),
        ("APICallError", None, "other"),
        ("APICallError", "none", "other"),
    ],
)
def test_the_reply_status_classifies_an_error_with_an_unknown_name(
    error_type: str, status: int | str | None, failure: str
) -> None:
    raised = event("exception", **{"exception.type": error_type, "exception.message": "no"})
    built = span({"http.response.status_code": status}, failed=True, events=(raised,))
    assert GenAI().read_call(built, context()).error_class == failure


def test_the_metric_of_the_first_chunk_is_read_from_a_span() -> None:
    assert GenAI().read_call(span({"gen_ai.client.operation.time_to_first_chunk": 0.25}), context()).ttft_ms == 250


def test_an_exception_without_an_answer_is_an_error_with_any_span_status() -> None:
    raised = event("exception", **{"exception.type": "RateLimitError"})
    failed = GenAI().read_call(span(SILENT, events=(raised,)), context())
    assert (failed.status, failed.error_class) == (Status.ERROR, "rate_limit")
    answered = GenAI().read_call(span(SILENT | {"gen_ai.response.id": "r-1"}, events=(raised,)), context())
    assert answered.status is Status.OK
