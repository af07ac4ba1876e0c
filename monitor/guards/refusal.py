"""A refusal as a problem document (RFC 9457), for listeners without an error format of their own."""

import json
from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


def refusal(status: int, code: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response. Its body has the fields of `Problem` in monitor/api/schema."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, "code": code}
    return Response(json.dumps(body), status, dict(headers or {}), MEDIA_TYPE)
