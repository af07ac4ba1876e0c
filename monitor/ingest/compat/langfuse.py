"""Langfuse's endpoints, except traces: the list of scores of current clients, the single score and the batch of older
clients, and the project for `auth_check`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from monitor.errors import DriftdError, MalformedRecord
from monitor.ingest.compat.endpoint import CompatEndpoint, Handler, items_of
from monitor.ingest.feedback_shapes.annotation import Annotation
from monitor.ingest.feedback_shapes.langfuse import of_score

PRODUCT: Final = "langfuse"
SCORE: Final = "score-create"
IGNORED: Final = frozenset({"sdk-log"})
PREFIX: Final = "langfuse-"
OWN: Final = {"id": "driftd", "name": "driftd"}
PROJECTS: Final = {"data": [{**OWN, "organization": OWN, "metadata": {}}]}


def routes(endpoint: CompatEndpoint) -> Sequence[BaseRoute]:
    handlers: Mapping[str, Handler] = {
        "/api/public/scores": _scores(endpoint),
        "/api/public/ingestion": _ingestion(endpoint),
    }
    posts = [
        Route(path, endpoint.endpoint(PRODUCT, handle, error_body), methods=["POST"])
        for path, handle in handlers.items()
    ]
    return [*posts, Route("/api/public/projects", endpoint.endpoint(PRODUCT, _projects, error_body), methods=["GET"])]


def error_body(error: DriftdError) -> Mapping[str, Any]:
    return {"message": str(error), "error": error.code}


async def _projects(_request: Request) -> Response:
    """Return one project: the client only checks that its keys are accepted."""
    return JSONResponse(PROJECTS)


def _scores(endpoint: CompatEndpoint) -> Handler:
    """Accept a list of scores or one score. A list: 202 when every score is stored, else 207 with counts. One score:
    200 with its id.
    """

    async def handle(request: Request) -> Response:
        body = await endpoint.body(request)
        if not isinstance(body, list | dict):
            raise MalformedRecord("the body is neither a score nor a list of scores")
        verdicts = await endpoint.land(PRODUCT, body if isinstance(body, list) else [body], of_score)
        errors = [{"message": f"scores[{n}]: {v.reason}"} for n, v in enumerate(verdicts) if v.reason is not None]
        if isinstance(body, dict):
            if errors:
                raise MalformedRecord(str(verdicts[0].reason))
            return JSONResponse({"id": _own_id(verdicts[0].id)})
        if errors:
            summary = {"accepted": len(verdicts) - len(errors), "rejected": len(errors), "errors": errors}
            return JSONResponse(summary, status_code=207)
        return JSONResponse({"message": "Accepted"}, status_code=202)

    return handle


def _ingestion(endpoint: CompatEndpoint) -> Handler:
    """Always answer 207, with one status for each event by the id of its envelope. Traces are rejected: current clients
    send them by OTLP.
    """

    async def handle(request: Request) -> Response:
        events = items_of(await endpoint.body(request), "batch")
        taken = [event for event in events if not _is_ignored(event)]
        verdicts = await endpoint.land(PRODUCT, taken, _of_event)
        statuses: list[tuple[Any, str | None]] = [(event, None) for event in events if _is_ignored(event)]
        statuses += [(event, verdict.reason) for event, verdict in zip(taken, verdicts, strict=True)]
        return JSONResponse(
            {
                "successes": [
                    {"id": _envelope_id(event), "status": 201} for event, reason in statuses if reason is None
                ],
                "errors": [
                    {"id": _envelope_id(event), "status": 400, "message": reason, "error": "malformed"}
                    for event, reason in statuses
                    if reason is not None
                ],
            },
            status_code=207,
        )

    return handle


def _of_event(event: Any, now: datetime) -> Annotation:
    if not isinstance(event, dict) or event.get("type") != SCORE:
        raise MalformedRecord(f"this path accepts events of type {SCORE}; send traces to /api/public/otel/v1/traces")
    body = event.get("body")
    if isinstance(body, dict) and body.get("timestamp") is None:
        body = {**body, "timestamp": event.get("timestamp")}
    return of_score(body, now)


def _is_ignored(event: Any) -> bool:
    return isinstance(event, dict) and event.get("type") in IGNORED


def _envelope_id(event: Any) -> str:
    return str(event.get("id", "")) if isinstance(event, dict) else ""


def _own_id(stored: str | None) -> str:
    return (stored or "").removeprefix(PREFIX)
