"""The annotation endpoints of Arize Phoenix, for arize-phoenix-client and compatible clients."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from monitor.errors import DriftdError
from monitor.ingest.compat import phoenix_spans
from monitor.ingest.compat.endpoint import CompatEndpoint, Handler, RecordResult, items_of
from monitor.ingest.compat.phoenix_spans import Unprocessable
from monitor.ingest.feedback_shapes.annotation import Annotation
from monitor.ingest.feedback_shapes.phoenix import given_out, of_annotation, of_note
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import feedback

PRODUCT: Final = "phoenix"
VERSION: Final = "13.15.0"  # the oldest server version that supports the client's filter by kind and status
ANNOTATED: Final = {
    "/v1/span_annotations": "span_id",
    "/v1/document_annotations": "span_id",
    "/v1/trace_annotations": "trace_id",
    "/v1/session_annotations": "session_id",
}
SPANS: Final = "/v1/projects/{project}/spans"
READ_BACK: Final = "/v1/projects/{project}/span_annotations"
MOST: Final = 1000  # annotations in one page, and spans in one request
NOTED: Final = {"/v1/span_notes": "span_id", "/v1/trace_notes": "trace_id", "/v1/session_notes": "session_id"}


def routes(endpoint: CompatEndpoint) -> Sequence[BaseRoute]:
    return [
        *(_route(endpoint, path, _annotations(endpoint, target)) for path, target in ANNOTATED.items()),
        *(_route(endpoint, path, _note(endpoint, target)) for path, target in NOTED.items()),
        Route(READ_BACK, endpoint.endpoint(PRODUCT, _read_back(endpoint), error_body, authorize=endpoint.may_read)),
        Route(
            SPANS, endpoint.endpoint(PRODUCT, phoenix_spans.give_out(endpoint), error_body, authorize=endpoint.may_read)
        ),
        _route(endpoint, "/v1/spans", phoenix_spans.refuse_query),
        Route("/arize_phoenix_version", endpoint.endpoint(PRODUCT, _version, error_body), methods=["GET"]),
    ]


def error_body(error: DriftdError) -> Mapping[str, Any]:
    return {"detail": str(error)}


def _route(endpoint: CompatEndpoint, path: str, handle: Handler) -> Route:
    return Route(path, endpoint.endpoint(PRODUCT, handle, error_body), methods=["POST"])


def _annotations(endpoint: CompatEndpoint, target: str) -> Handler:
    """Store annotations. The answer has their ids with `sync`, else nothing; in both cases it follows the commit."""

    def read(record: Any, now: datetime) -> Annotation:
        return of_annotation(record, target, now)

    async def handle(request: Request) -> Response:
        verdicts = await endpoint.land(PRODUCT, items_of(await endpoint.body(request), "data"), read)
        _refuse_if_any_is_bad(verdicts)
        sync = request.query_params.get("sync", "").lower() in ("true", "1")
        return JSONResponse({"data": [{"id": v.id} for v in verdicts] if sync else []})

    return handle


def _note(endpoint: CompatEndpoint, target: str) -> Handler:
    def read(record: Any, now: datetime) -> Annotation:
        return of_note(record, target, now)

    async def handle(request: Request) -> Response:
        body = await endpoint.body(request)
        verdicts = await endpoint.land(PRODUCT, [body.get("data") if isinstance(body, dict) else None], read)
        _refuse_if_any_is_bad(verdicts)
        return JSONResponse({"data": {"id": verdicts[0].id}})

    return handle


def _read_back(endpoint: CompatEndpoint) -> Handler:
    """Return the annotations and notes of the named spans. The project is ignored: driftd has no projects."""

    async def handle(request: Request) -> Response:
        params = request.query_params
        spans = [found.lower() for found in params.getlist("span_ids")]
        if not 1 <= len(spans) <= MOST:
            raise Unprocessable(f"parameter 'span_ids' occurs {len(spans)} times; name 1 to {MOST} spans")
        limit = params.get("limit", "100")
        if not limit.isdecimal() or not 1 <= int(limit[:9]) <= 10_000:
            raise Unprocessable("parameter 'limit' is not a number from 1 to 10000")
        query = PageQuery(limit=min(int(limit), MOST), cursor=params.get("cursor"))
        only, but = params.getlist("include_annotation_names"), params.getlist("exclude_annotation_names")
        page = await endpoint.query(
            lambda tx: feedback.page_of_spans(tx, query, spans, prefix="phoenix-", only=only, but=but)
        )
        return JSONResponse({"data": [given_out(item) for item in page.items], "next_cursor": page.next_cursor})

    return handle


def _refuse_if_any_is_bad(verdicts: Sequence[RecordResult]) -> None:
    """Raise an error for the first bad record, because this protocol has no partial success. The good records are
    stored; sending them again is harmless.
    """
    for index, verdict in enumerate(verdicts):
        if verdict.reason is not None:
            raise Unprocessable(f"data[{index}]: {verdict.reason}; the other records of the request are stored")


async def _version(_request: Request) -> Response:
    return PlainTextResponse(VERSION)
