"""Finish reasons and error types of senders, mapped to one vocabulary."""

import pytest

from monitor.domain.interaction import FinishReason
from monitor.ingest.conventions.error_classes import error_class, error_class_of_message
from monitor.ingest.conventions.finish_reasons import finish_reason


@pytest.mark.parametrize(
    ("result", "ours"),
    [
        ("stop", FinishReason.STOP),
        ("end_turn", FinishReason.STOP),
        ("STOP", FinishReason.STOP),
        ("max_tokens", FinishReason.LENGTH),
        ("tool-calls", FinishReason.TOOL_CALLS),
        ("tool_use", FinishReason.TOOL_CALLS),
        ("content-filter", FinishReason.CONTENT_FILTER),
        ("refusal", FinishReason.CONTENT_FILTER),
        ("error", FinishReason.ERROR),
        ("FinishReason.STOP", FinishReason.STOP),
        ("FinishReason.TOOL_CALLS", FinishReason.TOOL_CALLS),
        ("pause_turn", FinishReason.OTHER),
        ("", None),
        (None, None),
    ],
)
def test_each_sender_value_maps_to_a_finish_reason(result: str | None, ours: FinishReason | None) -> None:
    assert finish_reason(result) is ours


@pytest.mark.parametrize(
    ("result", "ours"),
    [
        ("openai.RateLimitError", "rate_limit"),
        ("RateLimitError", "rate_limit"),
        ("429", "rate_limit"),
        ("litellm.exceptions.RateLimitError: 429", "rate_limit"),
        ("insufficient_quota", "quota"),
        ("anthropic.OverloadedError", "server_error"),
        ("openai.InternalServerError", "server_error"),
        ("529", "server_error"),
        ("openai.APITimeoutError", "timeout"),
        ("httpx.ReadTimeout", "timeout"),
        ("openai.APIConnectionError", "connection"),
        ("ConnectError", "connection"),
        ("httpx.RemoteProtocolError", "connection"),
        ("AuthenticationError", "auth"),
        ("openai.NotFoundError", "not_found"),
        ("BadRequestError", "bad_request"),
        ("422", "bad_request"),
        ("ContentPolicyViolationError", "content_filter"),
        ("server_error", "server_error"),
        ("bad_template", "bad_template"),
        ("TypeError", "other"),
        ("_OTHER", "other"),
        ("", None),
        (None, None),
    ],
)
def test_each_error_name_has_an_error_class_of_replays_or_other(result: str | None, ours: str | None) -> None:
    assert error_class(result) == ours


@pytest.mark.parametrize(
    ("message", "ours"),
    [
        ("400 INVALID_ARGUMENT. {'error': {'code': 400}}", "bad_request"),
        ("Error code: 429 - slow down", "rate_limit"),
        ("HTTP 503 from the gateway", "server_error"),
        ("(\"<class 'a.connectors.Chat'> failed\", BadRequestError('Error code: 400 - no'))", "bad_request"),
        ("<class 'a.connectors.Chat'> service failed", "other"),
        ("the answer had 500 words", "other"),
        ("call failed: ReadTimeoutError", "timeout"),
        ("connection reset by peer", "connection"),
        ("", "other"),
    ],
)
def test_the_message_of_an_exception_names_its_class(message: str, ours: str) -> None:
    assert error_class_of_message(message) == ours
