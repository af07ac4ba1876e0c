"""The HTTP API as one ASGI application, or noun by noun."""

from collections.abc import Iterable, Mapping
from importlib import import_module

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from monitor.api import openapi, problems
from monitor.api.context import ApiContext
from monitor.api.disconnect import InterruptOnDisconnect
from monitor.api.error_boundary import ErrorBoundary
from monitor.guards.local_callers import LocalCallersOnly

# By the word after /api/v1/, the modules of monitor/api/routes that answer; "" has what does not begin so.
ROUTES: Mapping[str, tuple[str, ...]] = {
    "interactions": ("interactions",),
    "feedback": ("feedback",),
    "files": ("files",),
    "deployments": ("deployments",),
    "versions": ("versions",),
    "changes": ("changes",),
    "sets": (
        "sets.sets",
        "sets.content",
        "sets.keys",
        "sets.access",
        "sets.leaks",
        "sets.health",
        "sets.refreshes",
    ),
    "cases": ("sets.cases",),
    "candidates": ("sets.candidates", "sets.candidate_reviews"),
    "runs": ("runs",),
    "outcomes": ("outcomes",),
    "findings": ("findings",),
    "baselines": ("baselines",),
    "pins": ("pins",),
    "noise": ("noise",),
    "histories": ("histories",),
    "budgets": ("budgets",),
    "diagnoses": ("diagnoses",),
    "production": ("production",),
    "comparisons": ("comparisons", "compared_cases"),
    "alerts": ("alerts",),
    "notifications": ("notifications",),
    "reports": ("reports",),
    "compactions": ("compactions",),
    "losses": ("losses",),
    "dead_letters": ("dead_letters",),
    "status": ("status",),
    "whoami": ("whoami",),
    "": ("health",),
}
_BELOW = "/api/v1/"
_DOCUMENT = "/openapi.json"  # tells of all nouns
# FastAPI's own telemetry records validation failures and exception messages, which may quote sealed text.
_SILENT = TelemetryConfig(tracing=False, metrics=False, logs=False, operation_spans=False, auto_configure=False)


def build_api(context: ApiContext, nouns: Iterable[str] = tuple(ROUTES)) -> FastAPI:
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
    for noun in nouns:
        for module in ROUTES[noun]:
            app.include_router(import_module(f"monitor.api.routes.{module}").router)
    openapi.install(app)
    return app


class OnDemand:
    """The same API, of which each noun is built when it is asked for: a command asks for few of them, at once."""

    def __init__(self, context: ApiContext) -> None:
        self._context = context
        self._built: dict[str | None, ASGIApp] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        noun = noun_of(scope["path"])
        if noun not in self._built:
            self._built[noun] = build_api(self._context) if noun is None else build_api(self._context, [noun])
        await self._built[noun](scope, receive, send)


def noun_of(path: str) -> str | None:
    """Which of ROUTES answers; None where it takes all of them.

    >>> noun_of("/api/v1/runs/run-1/card"), noun_of("/healthz"), noun_of("/openapi.json"), noun_of("/api/v1/unknown")
    ('runs', '', None, None)
    """
    noun = path.removeprefix(_BELOW).partition("/")[0] if path.startswith(_BELOW) else ""
    return noun if noun in ROUTES and path != _DOCUMENT else None


def _guards(context: ApiContext) -> list[Middleware]:
    return [
        Middleware(ErrorBoundary),
        Middleware(InterruptOnDisconnect),
        *([] if context.tokens.required else [Middleware(LocalCallersOnly)]),
    ]
