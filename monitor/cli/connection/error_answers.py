"""Converts error responses of the API to exceptions with a message and an exit code."""

from http.client import responses as phrases

from pydantic import ValidationError

from monitor.api.schema import Problem
from monitor.cli.connection.route_commands import in_commands
from monitor.cli.connection.transport import Response
from monitor.errors import Conflict, DiskReserveReached, DriftdError, IntakeFull, NotFound, Retryable, UsageError


def error_of(response: Response) -> DriftdError:
    """Return the error for a status of 400 or more, with the detail of its problem document."""
    sentence = _detail(response)
    status = response.status
    if status in (401, 403):
        return UsageError(f"{sentence} (set the token with --token-file)")
    if status == 404:
        return NotFound(sentence)
    if status == 409:
        return Conflict(sentence)
    if status == 429:
        return IntakeFull(sentence)
    if status >= 500:
        return DiskReserveReached(sentence) if _code(response) == DiskReserveReached.code else Retryable(sentence)
    return UsageError(sentence)


def _code(response: Response) -> str | None:
    try:
        return Problem.model_validate_json(response.content).code
    except ValidationError:
        return None


def _detail(response: Response) -> str:
    try:
        return in_commands(Problem.model_validate_json(response.content).detail)
    except ValidationError:  # the response of a proxy
        phrase = phrases.get(response.status, "")
        return f"{response.url} answered {response.status} {phrase} and is not driftd"
