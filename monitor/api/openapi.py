"""The OpenAPI document, completed with request bodies, authentication and problem documents."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from monitor.api import schema as wire
from monitor.api.schema import audit, backups, categories, dynamic_sets, reviews, tokens

_BY_HAND: tuple[type[BaseModel], ...] = (
    wire.AcceptFinding,
    wire.AcknowledgeAlert,
    wire.AcknowledgeLosses,
    wire.AnnounceChange,
    wire.CancelRun,
    wire.PauseSchedule,
    wire.ResumeSchedule,
    wire.RunSchedule,
    wire.CreateSilence,
    wire.EndPin,
    wire.ExpireSilence,
    wire.FileChunk,
    wire.ImportSet,
    wire.JudgeAlert,
    wire.OrderCompaction,
    wire.PinRun,
    wire.Problem,
    wire.RecalibrateTurns,
    wire.ReviewTurn,
    wire.JudgePairs,
    wire.ReviewOutcome,
    wire.StartRescore,
    wire.ResumeRescore,
    wire.AddSentinels,
    wire.RemoveSentinel,
    wire.AcceptJudge,
    wire.RemoveDeadLetter,
    wire.ResolveAlert,
    wire.RetryDeadLetter,
    wire.ResumeRun,
    wire.ReviewCandidate,
    wire.ReviewCandidates,
    wire.RotateKey,
    wire.SearchLeaks,
    wire.StartRun,
    wire.TestReceiver,
    wire.UnacknowledgeAlert,
    categories.AcceptGroup,
    categories.DismissGroup,
    dynamic_sets.GraduateCases,
    dynamic_sets.RefreshSet,
    reviews.SubmitReview,
    reviews.UndoReview,
    audit.AcknowledgeBreaks,
    backups.OrderBackup,
    backups.DiscardBackup,
    tokens.CreateToken,
    tokens.RevokeToken,
    tokens.RotateToken,
)
_REF = "#/components/schemas/{model}"


def install(app: FastAPI) -> None:
    """Serve the completed document at /openapi.json; it is built at the first request."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = built(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # the way FastAPI documents for this


def built(app: FastAPI) -> dict[str, Any]:
    """Return the document of the routes of an application."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    _, definitions = models_json_schema([(model, "validation") for model in _BY_HAND], ref_template=_REF)
    components = document.setdefault("components", {})
    components.setdefault("schemas", {}).update(definitions["$defs"])
    components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    return document
