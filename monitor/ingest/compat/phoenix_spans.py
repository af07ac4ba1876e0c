"""Phoenix's endpoint for spans, which returns calls: `client.spans.get_spans`. A project is a deployment."""

from datetime import UTC, datetime
from typing import Any, Final

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from monitor.domain.interaction import Interaction, Status
from monitor.errors import MalformedRecord
from monitor.ingest.compat.endpoint import CompatEndpoint, Handler
from monitor.ingest.compat.given_call import ended_at, openinference_of
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import interactions

MOST: Final = 1000
KINDS: Final = frozenset(["LLM"])
STATUSES: Final = {"ERROR": (Status.ERROR,), "OK": (Status.OK, Status.INCOMPLETE), "UNSET": ()}


class Unprocessable(MalformedRecord):
    """The status that Phoenix uses for a request that it cannot read."""

    status = 422


def give_out(endpoint: CompatEndpoint) -> Handler:
    async def handle(request: Request) -> Response:
        params = request.query_params
        if any(name in params for name in ("attribute", "name")):
            raise Unprocessable("driftd stores calls: filter them by time, trace, span, parent, kind or status")
        limit = params.get("limit", "100")
        if not limit.isdecimal() or not 1 <= int(limit[:9]) <= MOST:
            raise Unprocessable(f"parameter 'limit' is not a number from 1 to {MOST}")
        codes = params.getlist("status_code")
        statuses = {status for code in codes for status in STATUSES.get(code.upper(), ())}
        kinds = {kind.upper() for kind in params.getlist("span_kind")}
        if (kinds and kinds.isdisjoint(KINDS)) or (codes and not statuses):
            return JSONResponse({"data": [], "next_cursor": None})
        query = PageQuery(
            limit=int(limit),
            cursor=params.get("cursor"),
            deployment=request.path_params["project"],
            since=_time(params, "start_time"),
            until=_time(params, "end_time"),
        )
        parent = params.get("parent_id")
        page = await endpoint.query(
            lambda tx: interactions.page_of_traces(
                tx,
                query,
                traces=[one.lower() for one in params.getlist("trace_id")[:MOST]],
                spans=[one.lower() for one in params.getlist("span_id")[:MOST]],
                parents=[] if parent is None else [parent.lower()],
                statuses=sorted(statuses),
            )
        )
        return JSONResponse({"data": [_span(item) for item in page.items], "next_cursor": page.next_cursor})

    return handle


async def refuse_query(_request: Request) -> Response:
    """Reject the queries of `get_spans_dataframe`, which are in Phoenix's own language."""
    raise Unprocessable(
        "driftd does not support span queries; client.spans.get_spans(project_identifier=...) returns calls"
    )


def _span(item: Interaction) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": item.id,
        "name": item.request_model or "call",
        "context": {"trace_id": item.trace_id, "span_id": item.span_id},
        "span_kind": "LLM",
        "parent_id": item.parent_span_id,
        "start_time": item.started_at.astimezone(UTC).isoformat(),
        "end_time": ended_at(item).astimezone(UTC).isoformat(),
        "status_code": "ERROR" if item.status is Status.ERROR else "OK",
        "status_message": item.error_type or "",
        "attributes": openinference_of(item),
        "events": [],
    }
    return {name: value for name, value in found.items() if value is not None}


def _time(params: QueryParams, name: str) -> datetime | None:
    found = params.get(name)
    if found is None:
        return None
    try:
        at = datetime.fromisoformat(found)
    except ValueError:
        raise Unprocessable(f"parameter {name!r} is not a time: {found[:80]!r}") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
