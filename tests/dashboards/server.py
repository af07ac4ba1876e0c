"""A real HTTP server on loopback with the API of the daemon, page by page, from a FakeDaemon."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from monitor.api.schema import CallerItem, ListPage, Problem

from .cases import history_of, replies_of, trends_of
from .failures import correction_days, failures_of
from .fake_daemon import FakeDaemon
from .interactions import days_of, interaction_of, interactions_of

Answer = Callable[[FakeDaemon, Mapping[str, str]], BaseModel]
ANSWERS: dict[str, Answer] = {
    "/api/v1/sets/failures": failures_of,
    "/api/v1/failure-categories/days": correction_days,
    "/api/v1/whoami": lambda daemon, query: CallerItem(name="reader", roles=["read"]),
    "/api/v1/cases/trends": trends_of,
    "/api/v1/cases/history": history_of,
    "/api/v1/cases/replies": replies_of,
    "/api/v1/production/days": days_of,
    "/api/v1/interactions": interactions_of,
}
TIME_FIELDS = {
    "runs": "planned_at",
    "findings": "at",
    "alerts": "pending_since",
    "changes": "at",
    "notifications": "planned_at",
}


def build(daemon: FakeDaemon, token: str | None = None) -> Starlette:
    def listing(request: Request) -> Response:
        if refused := _refusal(request, token):
            return refused
        items = daemon.lists().get(request.path_params["name"])
        return _problem(404, "there is no such list") if items is None else _json(_page(request, items))

    def single(request: Request) -> Response:
        items = daemon.lists().get(request.path_params["name"], [])
        found = next((item for item in items if getattr(item, "id", None) == request.path_params["id"]), None)
        return _problem(404, f"{request.path_params['id']} is unknown") if found is None else _json(found)

    def status(request: Request) -> Response:
        return _refusal(request, token) or _json(daemon.status())

    def rates(request: Request) -> Response:
        query = request.query_params
        return _refusal(request, token) or _json(daemon.correction_rates(query["deployment"], query["by"]))

    def metrics(request: Request) -> Response:
        if daemon.metrics_problem is not None:
            return _problem(503, daemon.metrics_problem)
        query = request.query_params
        return _refusal(request, token) or _json(daemon.metrics_of(query["deployment"], query["set_name"]))

    def answered(of: Answer) -> Callable[[Request], Response]:
        return lambda request: _refusal(request, token) or _json(of(daemon, request.query_params))

    return Starlette(
        routes=[
            *(Route(path, answered(of)) for path, of in ANSWERS.items()),
            Route("/api/v1/sets/metrics", metrics),
            Route("/api/v1/corrections/rate", rates),
            Route("/api/v1/status", status),
            Route("/api/v1/interactions/{id}", partial(_interaction, daemon)),
            Route("/api/v1/reports/{id}/page", partial(_report_page, daemon)),
            Route("/api/v1/{name}", listing),
            Route("/api/v1/{name}/{id}", single),
        ]
    )


def _interaction(daemon: FakeDaemon, request: Request) -> Response:
    found = interaction_of(daemon, request.path_params["id"])
    return _problem(404, "the interaction is unknown") if found is None else _json(found)


def _report_page(daemon: FakeDaemon, request: Request) -> Response:
    return Response(daemon.report_pages[request.path_params["id"]], media_type="text/html")


def _page(request: Request, items: list[BaseModel]) -> ListPage[BaseModel]:
    name, query = request.path_params["name"], request.query_params
    of = "name" if name == "deployments" else "deployment"
    kept = [item for item in items if query.get("deployment") in {None, getattr(item, of, None)}]
    if query.get("state") == "open":
        kept = [item for item in kept if getattr(item, "state", None) != "resolved"]
    if "since" in query and name in TIME_FIELDS:
        since = datetime.fromisoformat(query["since"])
        kept = [item for item in kept if getattr(item, TIME_FIELDS[name]) >= since]
    start, limit = int(query.get("cursor", "0")), int(query.get("limit", "200"))
    assert limit <= 500, "the daemon refuses larger pages"
    more = start + limit < len(kept)
    return ListPage[BaseModel](items=kept[start : start + limit], next_cursor=str(start + limit) if more else None)


def _json(body: BaseModel, status: int = 200) -> Response:
    return Response(body.model_dump_json(serialize_as_any=True), status, media_type="application/json")


def _problem(status: int, detail: str) -> Response:
    return _json(Problem(type="about:blank", title="no", status=status, detail=detail, code="x"), status)


def _refusal(request: Request, token: str | None) -> Response | None:
    if token is None or request.headers.get("authorization") == f"Bearer {token}":
        return None
    return _problem(401, "a token is required")
