"""The HTTP API as one ASGI application, complete or with selected resources."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from monitor.api import openapi, problems
from monitor.api.audit import Audit
from monitor.api.context import ApiContext
from monitor.api.disconnect import InterruptOnDisconnect
from monitor.api.error_boundary import ErrorBoundary
from monitor.guards.local_callers import LocalCallersOnly

# Modules of monitor/api/routes by the first path segment after /api/v1/; "" has all other paths.
ROUTES: Mapping[str, tuple[str, ...]] = {
    "interactions": ("interactions",),
    "feedback": ("feedback",),
    "files": ("files",),
    "deployments": ("deployments",),
    "deployment-names": ("deployment_names",),
    "overview": ("overview",),
    "versions": ("versions",),
    "changes": ("changes",),
    "sets": (
        "sets.sets",
        "sets.content",
        "sets.keys",
        "sets.access",
        "sets.leaks",
        "sets.health",
        "sets.metrics",
        "sets.failures",
        "sets.refreshes",
        "sets.dynamic",
    ),
    "cases": ("sets.cases", "sets.case_histories", "sets.case_replies"),
    "candidates": ("sets.candidates", "sets.candidate_reviews", "sets.review_sheets"),
    "reviews": ("sets.reviews",),
    "turns": ("turns", "turn_calibrations"),
    "corrections": ("corrections",),
    "failure-categories": ("sets.failure_categories",),
    "failure-groups": ("sets.failure_groups",),
    "runs": ("runs",),
    "schedules": ("schedules",),
    "outcomes": ("outcomes",),
    "judges": (
        "judging.judges",
        "judging.pairs",
        "judging.reviews",
        "judging.sentinels",
        "judging.bias",
        "judging.history",
    ),
    "rescores": ("judging.rescores",),
    "results": ("results",),
    "findings": ("findings",),
    "baselines": ("baselines",),
    "pins": ("pins",),
    "noise": ("noise",),
    "histories": ("histories",),
    "budgets": ("budgets",),
    "diagnoses": ("diagnoses",),
    "production": ("production", "production_days"),
    "choices": ("choices",),
    "comparisons": ("comparisons", "compared_cases", "compared_amounts", "compared_versions"),
    "alerts": ("alerting.alerts", "alerting.alert_details"),
    "silences": ("alerting.silences",),
    "rules": ("alerting.rules",),
    "receivers": ("alerting.receivers",),
    "callbacks": ("callbacks",),
    "notifications": ("alerting.notifications",),
    "reports": ("reports",),
    "compactions": ("compactions",),
    "backups": ("backups",),
    "database": ("database",),
    "losses": ("losses",),
    "dead_letters": ("dead_letters",),
    "status": ("status",),
    "whoami": ("whoami",),
    "tokens": ("tokens",),
    "audit": ("audit",),
    "": ("health",),
}
_BELOW = "/api/v1/"
_DOCUMENT = "/openapi.json"  # describes all resources
# FastAPI's own telemetry records validation failures and exception messages, which may quote sealed text.
_SILENT = TelemetryConfig(tracing=False, metrics=False, logs=False, operation_spans=False, auto_configure=False)


def build_api(context: ApiContext, nouns: Iterable[str] = tuple(ROUTES)) -> FastAPI:
    """Return the API over the parts of the daemon. It starts no thread: the server of the API owns the threads."""
    app = routed(context.code_version, nouns, _guards(context))
    app.state.context = context
    problems.install(app)
    openapi.install(app)
    return app


def routed(version: str, nouns: Iterable[str] = tuple(ROUTES), guards: Sequence[Middleware] = ()) -> FastAPI:
    """Return the application with its routes, without the daemon: it can be described, but not called."""
    app = FastAPI(
        title="driftd",
        version=version,
        description="Interactions, changes, replays, findings and alerts of LLM products.",
        docs_url=None,  # the interactive pages load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,  # an unknown path is 404, never a redirect
        middleware=list(guards),
        telemetry=_SILENT,
    )
    for noun in nouns:
        for module in ROUTES[noun]:
            # The complete routes of the module: `include_router` builds each again, 0.3 s for an application.
            app.router.routes.extend(import_module(f"monitor.api.routes.{module}").router.routes)
    return app


class OnDemand:
    """The same API for a command: it builds the routes of a resource at the first request for it."""

    def __init__(self, context: ApiContext) -> None:
        self._context = context
        self._built: dict[str | None, ASGIApp] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        noun = noun_of(scope["path"])
        if noun not in self._built:
            self._built[noun] = build_api(self._context) if noun is None else build_api(self._context, [noun])
        await self._built[noun](scope, receive, send)


def noun_of(path: str) -> str | None:
    """Return the key of ROUTES that answers a path, or None when all routes are needed.

    >>> noun_of("/api/v1/runs/run-1/card"), noun_of("/healthz"), noun_of("/openapi.json"), noun_of("/api/v1/unknown")
    ('runs', '', None, None)
    """
    noun = path.removeprefix(_BELOW).partition("/")[0] if path.startswith(_BELOW) else ""
    return noun if noun in ROUTES and path != _DOCUMENT else None


def _guards(context: ApiContext) -> list[Middleware]:
    return [
        Middleware(Audit, context),
        Middleware(ErrorBoundary),
        Middleware(InterruptOnDisconnect),
        *([] if context.tokens.required else [Middleware(LocalCallersOnly)]),
    ]
