"""The HTTP API as one ASGI application."""

from fastapi import APIRouter, FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.middleware import Middleware

from monitor.api import openapi, problems
from monitor.api.context import ApiContext
from monitor.api.guard import LastResort, LoopbackNamesOnly
from monitor.api.routes import (
    alerts,
    baselines,
    candidates,
    cases,
    changes,
    compared_cases,
    comparisons,
    deployments,
    feedback,
    findings,
    health,
    interactions,
    leaks,
    noise,
    notifications,
    outcomes,
    pins,
    production,
    readings,
    refreshes,
    reports,
    rewrites,
    runs,
    set_access,
    set_content,
    set_health,
    set_keys,
    sets,
    status,
    versions,
    whoami,
)

ROUTERS: tuple[APIRouter, ...] = (
    interactions.router,
    feedback.router,
    deployments.router,
    versions.router,
    changes.router,
    sets.router,
    set_content.router,
    set_keys.router,
    set_access.router,
    leaks.router,
    set_health.router,
    refreshes.router,
    cases.router,
    candidates.router,
    runs.router,
    outcomes.router,
    findings.router,
    baselines.router,
    pins.router,
    noise.router,
    readings.router,
    production.router,
    comparisons.router,
    compared_cases.router,
    alerts.router,
    notifications.router,
    reports.router,
    rewrites.router,
    status.router,
    whoami.router,
    health.router,
)
# FastAPI's own telemetry records validation failures and exception messages, which may quote sealed text.
_SILENT = TelemetryConfig(tracing=False, metrics=False, logs=False, operation_spans=False, auto_configure=False)


def build_api(context: ApiContext) -> FastAPI:
    """The API over the daemon's parts. It starts nothing: whoever serves it owns the threads."""
    app = FastAPI(
        title="driftd",
        version=context.code_version,
        description="What the product's language model did, what changed, and whether it got worse.",
        docs_url=None,  # the interactive pages load their scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # a path that is not there is 404, not a redirect to one that is
        middleware=_guards(context),
        telemetry=_SILENT,
    )
    app.state.context = context
    problems.install(app)
    for router in ROUTERS:
        app.include_router(router)
    openapi.install(app)
    return app


def _guards(context: ApiContext) -> list[Middleware]:
    return [Middleware(LastResort), *([] if context.tokens.required else [Middleware(LoopbackNamesOnly)])]
