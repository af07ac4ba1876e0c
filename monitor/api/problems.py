"""Errors as RFC 9457 problem documents."""

import logging
import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from monitor.api.schema import Problem
from monitor.errors import DriftdError, Permanent, Retryable, Unauthenticated
from monitor.guards.wrong_port import GrpcClientLog, port_at_api

logger = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"
SILENCE_S = 60.0
_MOST_FAULTS = 5
METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")
_ROUTING_CODES = {404: "route_not_found", 405: "method_not_allowed", 413: "body_too_large"}


class Unprocessable(Permanent):
    """The request is well-formed but cannot be carried out; the message names the field."""

    status = 422
    code = "unprocessable"


class InvalidRequest(Unprocessable):
    """A parameter or a field of the body violates the schema."""

    code = "validation"


class UnsupportedMedia(Permanent):
    status = 415
    code = "unsupported_media_type"


class BodyTooLarge(Permanent):
    status = 413
    code = "body_too_large"


def problem_response(status: int, code: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a problem document and its media type."""
    problem = Problem(type="about:blank", title=_title(status), status=status, detail=detail, code=code)
    return Response(problem.model_dump_json(), status, dict(headers or {}), MEDIA_TYPE)


def describe_faults(faults: Sequence[Mapping[str, Any]], root: str = "") -> str:
    """Return the invalid fields and the reasons, never the sent values.

    Example: `query.limit: Input should be less than or equal to 500; ...`
    """
    listed = [f"{_where(fault['loc'], root)}: {fault['msg']}" for fault in faults[:_MOST_FAULTS]]
    more = len(faults) - len(listed)
    return "; ".join(listed) + (f"; and {more} more" if more else "")


def install(app: FastAPI) -> None:
    """Answer expected errors of `app` with problem documents; monitor/api/error_boundary.py catches others."""
    app.state.logged_at = {}  # monotonic time of the last log line, by error code
    app.state.grpc_clients = GrpcClientLog("the API", app.state.context.ports)
    app.add_exception_handler(DriftdError, _on_driftd_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_exception)


async def _on_driftd_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, DriftdError)
    if error.status >= 500 and _is_news(request, error):
        logger.error("%s %s answered %d: %s", request.method, _route(request), error.status, error)
    headers: dict[str, str] = {}
    if isinstance(error, Retryable):
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after_s)))
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = 'Bearer realm="driftd"'
    return problem_response(error.status, error.code, str(error), headers)


def _is_news(request: Request, error: DriftdError) -> bool:
    """Return whether to log this error: at intervals if it affects all requests, else always."""
    if not isinstance(error, Retryable):
        return True
    now, logged_at = request.app.state.context.clock.monotonic(), request.app.state.logged_at
    if now - logged_at.get(error.code, -math.inf) < SILENCE_S:
        return False
    logged_at[error.code] = now
    return True


async def _on_invalid_request(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return problem_response(422, InvalidRequest.code, describe_faults(error.errors()))


async def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _ROUTING_CODES.get(error.status_code, "http")
    if error.status_code == 405:  # the exception knows only the methods of one of several routes
        error.headers = {**(error.headers or {}), "Allow": _allowed(request)}
    return problem_response(error.status_code, code, _routing_detail(request, error), error.headers)


def _allowed(request: Request) -> str:
    """Return all methods of the path: a route of another method is the only full match. A fixed path (silences/preview)
    has its own methods, not those of a template that fits it too (silences/{id}).
    """
    documented = request.app.openapi()["paths"].get(request.url.path)
    if documented is not None:
        return ", ".join(method for method in METHODS if method.lower() in documented)
    return ", ".join(method for method in METHODS if _has_route(request, method))


def _has_route(request: Request, method: str) -> bool:
    scope = {**request.scope, "method": method}
    return any(route.matches(dict(scope))[0] is Match.FULL for route in request.app.routes)


def _routing_detail(request: Request, error: HTTPException) -> str:
    if error.status_code == 404:
        request.app.state.grpc_clients.record(request.method, request.client.host if request.client else "")
        elsewhere = port_at_api(request.url.path, request.app.state.context.ports)
        return elsewhere or "unknown path; /openapi.json lists every path"
    if error.status_code == 405:
        return f"method {request.method} is not allowed; allowed: {(error.headers or {}).get('Allow', 'none')}"
    return str(error.detail)


def _route(request: Request) -> str:
    """Return the path template: a log line contains the route, not the URL that a caller sent."""
    return str(getattr(request.scope.get("route"), "path", "unknown route"))


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"


def _where(loc: Sequence[Any], root: str) -> str:
    return ".".join([*([root] if root else []), *map(str, loc)]) or "body"
