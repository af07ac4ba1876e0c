"""The classes of failed calls, and the two sources of a failure."""

import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from http import HTTPStatus
from typing import Any

from replay.errors import CallError
from replay.targets.retry_after import read_retry_after

MESSAGE_CHARS = 300


class ErrorClass(StrEnum):
    """The error class of an outcome without a reply."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"
    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"  # the account has no credit: a retry does not help
    SERVER_ERROR = "server_error"
    AUTH = "auth"
    BAD_REQUEST = "bad_request"
    NOT_FOUND = "not_found"  # the path or the model does not exist
    UNKNOWN_CASE = "unknown_case"  # a recorded endpoint has no answer to this question
    CONTENT_FILTER = "content_filter"
    MALFORMED_REPLY = "malformed_reply"
    EMPTY_REPLY = "empty_reply"
    REPLY_TOO_LARGE = "reply_too_large"  # more bytes or characters than the limits of the target
    BAD_TEMPLATE = "bad_template"  # the prompt or the request cannot be rendered for this case
    TOOL_LOOP = "tool_loop"  # the model kept calling tools and never answered

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return self in _RETRYABLE

    @property
    def may_be_billed(self) -> bool:
        """Return whether the server may have worked on the request, and may bill it, before it failed."""
        return self in _BILLABLE

    @property
    def blames_target(self) -> bool:
        """Whether the failure concerns the target as a whole and not the case."""
        return self in _TARGET_WIDE


_RETRYABLE = {
    ErrorClass.TIMEOUT,
    ErrorClass.CONNECTION,
    ErrorClass.RATE_LIMIT,
    ErrorClass.SERVER_ERROR,
    ErrorClass.MALFORMED_REPLY,
    ErrorClass.EMPTY_REPLY,
}
_BILLABLE = {
    ErrorClass.TIMEOUT,
    ErrorClass.CONNECTION,  # lost after the request was sent
    ErrorClass.CONTENT_FILTER,
    ErrorClass.MALFORMED_REPLY,
    ErrorClass.EMPTY_REPLY,
    ErrorClass.REPLY_TOO_LARGE,
    ErrorClass.TOOL_LOOP,
}
_TARGET_WIDE = {
    ErrorClass.TIMEOUT,
    ErrorClass.CONNECTION,
    ErrorClass.RATE_LIMIT,
    ErrorClass.QUOTA,
    ErrorClass.SERVER_ERROR,
    ErrorClass.AUTH,
    ErrorClass.NOT_FOUND,
}
_BY_STATUS: dict[int, ErrorClass] = {
    HTTPStatus.UNAUTHORIZED: ErrorClass.AUTH,
    HTTPStatus.PAYMENT_REQUIRED: ErrorClass.QUOTA,
    HTTPStatus.FORBIDDEN: ErrorClass.AUTH,
    HTTPStatus.NOT_FOUND: ErrorClass.NOT_FOUND,
    HTTPStatus.REQUEST_TIMEOUT: ErrorClass.TIMEOUT,
    HTTPStatus.CONFLICT: ErrorClass.SERVER_ERROR,  # lock time-outs of the larger providers
    HTTPStatus.TOO_EARLY: ErrorClass.SERVER_ERROR,
    HTTPStatus.TOO_MANY_REQUESTS: ErrorClass.RATE_LIMIT,
}
# The code in the body is more specific than the status.
_BY_CODE = {
    "unknown_case": ErrorClass.UNKNOWN_CASE,
    "content_filter": ErrorClass.CONTENT_FILTER,
    "content_policy_violation": ErrorClass.CONTENT_FILTER,
    "insufficient_quota": ErrorClass.QUOTA,
    "billing_hard_limit_reached": ErrorClass.QUOTA,
    "rate_limit_exceeded": ErrorClass.RATE_LIMIT,
    "rate_limit_error": ErrorClass.RATE_LIMIT,
    "overloaded_error": ErrorClass.SERVER_ERROR,
}


def failed(
    error_class: ErrorClass, message: str, *, retry_after_s: float | None = None, sent: bool = True
) -> CallError:
    """Return the error to raise. Its class determines whether it is retryable."""
    return CallError(error_class, message, retryable=error_class.retryable, retry_after_s=retry_after_s, sent=sent)


def may_be_billed(error: CallError) -> bool:
    """Return whether a failed call may cost as much as an answered one."""
    known = error.error_class in set(ErrorClass)
    return error.sent and (not known or ErrorClass(error.error_class).may_be_billed)


def failure_of_status(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> CallError:
    """Return the error of a response other than 200. Its message quotes at most 300 characters of the server's."""
    code, server_message = _server_error(body)
    error_class = _BY_CODE.get(code) or _class_of_status(status)
    message = f"HTTP {status}" + (f": {server_message}" if server_message else "")
    wait_s = read_retry_after(headers, now) if error_class.retryable else None
    return failed(error_class, message, retry_after_s=wait_s)


def failure_in_stream(error: Any) -> CallError:
    """Return the error inside a response with status 200. Without another code it is a server error."""
    code, server_message = _code_and_message(error)
    return failed(
        _BY_CODE.get(code, ErrorClass.SERVER_ERROR),
        server_message or code or "the server reported an error in the stream",
    )


def _class_of_status(status: int) -> ErrorClass:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ErrorClass.SERVER_ERROR
    return _BY_STATUS.get(status, ErrorClass.BAD_REQUEST)


def _server_error(body: bytes) -> tuple[str, str]:
    """Return code and message of `{"error": {"code", "message"}}`, `{"error": "..."}` or plain text."""
    try:
        server_message: Any = json.loads(body)
    except (ValueError, RecursionError):
        return "", one_line(body[: 4 * MESSAGE_CHARS].decode("utf-8", "replace"))
    return _code_and_message(
        server_message.get("error", server_message) if isinstance(server_message, dict) else server_message
    )


def _code_and_message(error: Any) -> tuple[str, str]:
    if isinstance(error, dict):
        return str(error.get("code") or error.get("type") or ""), one_line(str(error.get("message") or ""))
    return "", one_line(str(error))


def one_line(text: str) -> str:
    """Return the text on one line, at most 300 characters of it."""
    return " ".join(text.split())[:MESSAGE_CHARS]
