import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.targets.failure import ErrorClass, failure_of_status

NOW = datetime(2026, 11, 21, 2, tzinfo=UTC)


def body(code: object = None, message: str = "said the server") -> bytes:
    return json.dumps({"error": {"code": code, "message": message}}).encode()


@pytest.mark.parametrize(
    ("status", "code", "error_class", "retryable"),
    [
        (400, None, "bad_request", False),
        (400, "content_filter", "content_filter", False),
        (401, "invalid_api_key", "auth", False),
        (402, None, "quota", False),
        (403, None, "auth", False),
        (404, "model_not_found", "not_found", False),
        (404, "unknown_case", "unknown_case", False),
        (408, None, "timeout", True),
        (409, None, "server_error", True),
        (413, None, "bad_request", False),
        (422, None, "bad_request", False),
        (425, None, "server_error", True),
        (429, "rate_limit_exceeded", "rate_limit", True),
        (429, "insufficient_quota", "quota", False),
        (500, None, "server_error", True),
        (503, None, "server_error", True),
        (529, "overloaded_error", "server_error", True),
        (307, None, "bad_request", False),
        (499, None, "bad_request", False),
    ],
)
def test_status_and_code_give_the_class(status: int, code: str | None, error_class: str, retryable: bool) -> None:
    error = failure_of_status(status, {}, body(code), NOW)
    assert (error.error_class, error.retryable) == (error_class, retryable)
    assert str(error) == f"HTTP {status}: said the server"


def test_a_retry_after_belongs_to_what_is_tried_again() -> None:
    assert failure_of_status(429, {"retry-after": "7"}, body(), NOW).retry_after_s == 7.0
    assert failure_of_status(400, {"retry-after": "7"}, body(), NOW).retry_after_s is None


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"", "HTTP 502"),
        (b"<h1>Bad\n gateway</h1>", "HTTP 502: <h1>Bad gateway</h1>"),
        (b'{"error": "overloaded"}', "HTTP 502: overloaded"),
        (b'{"error": {"message": null}}', "HTTP 502"),
        (b'{"message": "m"}', "HTTP 502: m"),
        (b"[1]", "HTTP 502: [1]"),
        (b"\xff\xfe", "HTTP 502: \ufffd\ufffd"),
    ],
)
def test_the_message_is_found_in_any_form_on_one_line(sent: bytes, message: str) -> None:
    assert str(failure_of_status(502, {}, sent, NOW)) == message


@given(
    st.integers(min_value=100, max_value=999),
    st.binary(max_size=200)
    | st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["error", "code", "message", "type"]), inner),
    ).map(lambda value: json.dumps(value).encode()),
)
def test_no_body_breaks_it_and_no_message_is_long(status: int, sent: bytes) -> None:
    error = failure_of_status(status, {}, sent, NOW)
    assert error.error_class in set(ErrorClass)
    assert len(str(error)) <= 320
    assert "\n" not in str(error)
