"""The annotation endpoints of Arize Phoenix, for arize-phoenix-client and whatever speaks like it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from monitor.errors import DriftdError, MalformedRecord
from monitor.ingest.compat.door import Door, Handler, Verdict, items_of
from monitor.ingest.feedback_shapes.phoenix import of_annotation, of_note
from monitor.ingest.feedback_shapes.said import Said

PRODUCT: Final = "phoenix"
VERSION: Final = "12.0.0"  # the oldest server that a client may annotate sessions of: it asks before it does
ANNOTATED: Final = {
    "/v1/span_annotations": "span_id",
    "/v1/document_annotations": "span_id",
    "/v1/trace_annotations": "trace_id",
    "/v1/session_annotations": "session_id",
}
NOTED: Final = {"/v1/span_notes": "span_id", "/v1/trace_notes": "trace_id", "/v1/session_notes": "session_id"}


def routes(door: Door) -> Sequence[BaseRoute]:
    return [
        *(_route(door, path, _annotations(door, target)) for path, target in ANNOTATED.items()),
        *(_route(door, path, _note(door, target)) for path, target in NOTED.items()),
        Route("/arize_phoenix_version", door.endpoint(PRODUCT, _version, error_body), methods=["GET"]),
    ]


def error_body(error: DriftdError) -> Mapping[str, Any]:
    return {"detail": str(error)}


def _route(door: Door, path: str, handle: Handler) -> Route:
    return Route(path, door.endpoint(PRODUCT, handle, error_body), methods=["POST"])


def _annotations(door: Door, target: str) -> Handler:
    """With `sync` the ids, without it nothing: driftd answers after the commit in both cases."""

    def read(record: Any, now: datetime) -> Said:
        return of_annotation(record, target, now)

    async def handle(request: Request) -> Response:
        verdicts = await door.land(PRODUCT, items_of(await door.body(request), "data"), read)
        _refuse_if_any_is_bad(verdicts)
        sync = request.query_params.get("sync", "").lower() in ("true", "1")
        return JSONResponse({"data": [{"id": v.id} for v in verdicts] if sync else []})

    return handle


def _note(door: Door, target: str) -> Handler:
    def read(record: Any, now: datetime) -> Said:
        return of_note(record, target, now)

    async def handle(request: Request) -> Response:
        body = await door.body(request)
        verdicts = await door.land(PRODUCT, [body.get("data") if isinstance(body, dict) else None], read)
        _refuse_if_any_is_bad(verdicts)
        return JSONResponse({"data": {"id": verdicts[0].id}})

    return handle


def _refuse_if_any_is_bad(verdicts: Sequence[Verdict]) -> None:
    """This protocol has no partial success. The good ones have landed, and change nothing when they are sent again."""
    for index, verdict in enumerate(verdicts):
        if verdict.reason is not None:
            raise Unprocessable(f"data[{index}]: {verdict.reason}; the other records of the request are stored")


class Unprocessable(MalformedRecord):
    """What this product answers to a body that it cannot read."""

    status = 422


async def _version(_request: Request) -> Response:
    return PlainTextResponse(VERSION)
