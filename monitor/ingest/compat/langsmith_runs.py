"""LangSmith's own protocol for traces: one run, a batch in JSON, or a multipart batch with optional compression.

A client posts a run when it starts and updates it when it ends, in one request or in two.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from monitor.errors import MalformedRecord
from monitor.ingest.compat.endpoint import CompatEndpoint, Handler, IngestResult
from monitor.ingest.compat.multipart import TYPE, parts_of
from monitor.ingest.feedback_shapes.langsmith import of_feedback
from monitor.ingest.json_text import read_json
from monitor.ingest.limits import Limits, check_record_count
from monitor.ingest.otlp.langsmith_run import record_of

PRODUCT: Final = "langsmith"
MOST_REASONS: Final = 10  # in one answer
# Large fields, which are separate parts.
FIELDS: Final = frozenset(["inputs", "outputs", "events", "extra", "error", "serialized"])


@dataclass(slots=True, kw_only=True)
class Parts:
    """The content of a multipart body: new runs, updated runs, feedback, and the reasons for unreadable parts."""

    runs: dict[str, dict[str, dict[str, Any]]] = field(default_factory=lambda: {"post": {}, "patch": {}})
    feedback: list[Any] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)  # by the id of a run


def one(endpoint: CompatEndpoint) -> Handler:
    async def handle(request: Request) -> Response:
        body = await endpoint.body(request)
        if not isinstance(body, dict):
            raise MalformedRecord("the body is not a JSON object")
        if (named := request.path_params.get("run_id")) is not None:
            body = {**body, "id": str(named)}
        landed = await endpoint.land_records(PRODUCT, [body], record_of)
        _refuse(landed)
        return JSONResponse({}, status_code=202)

    return handle


def batch(endpoint: CompatEndpoint) -> Handler:
    async def handle(request: Request) -> Response:
        body = await endpoint.body(request)
        if not isinstance(body, dict):
            raise MalformedRecord("the body is not a JSON object")
        posts, patches = _listed(body, "post"), _listed(body, "patch")
        check_record_count(len(posts) + len(patches), endpoint.limits)
        return _answer(await endpoint.land_records(PRODUCT, merged(posts, patches), record_of))

    return handle


def multipart(endpoint: CompatEndpoint) -> Handler:
    async def handle(request: Request) -> Response:
        content_type = request.headers.get("content-type", "")
        parts = await endpoint.read_body(
            request, (TYPE,), lambda plain: read_parts(plain, content_type, endpoint.limits)
        )
        posts, patches = ([*parts.runs[kind].values()] for kind in ("post", "patch"))

        def read(run: Any) -> Any:
            if (reason := parts.reasons.get(str(run.get("id")))) is not None:
                raise MalformedRecord(reason)
            return record_of(run)

        landed = await endpoint.land_records(PRODUCT, merged(posts, patches), read)
        if parts.feedback:
            verdicts = await endpoint.land(PRODUCT, parts.feedback, of_feedback)
            reasons = [v.reason for v in verdicts if v.reason is not None]
            landed = IngestResult(records=landed.records + len(verdicts), reasons=(*landed.reasons, *reasons))
        return _answer(landed)

    return handle


def merged(posts: Iterable[Any], patches: Iterable[Any]) -> list[Any]:
    """Return each run of a request once. Values of an update replace earlier ones, except null."""
    found: dict[str, Any] = {}
    others = []
    for run in (*posts, *patches):
        if not isinstance(run, Mapping):
            others.append(run)
            continue
        key = str(run.get("id"))
        found[key] = {**found.get(key, {}), **{name: value for name, value in run.items() if value is not None}}
    return [*found.values(), *others]


def read_parts(body: bytes, content_type: str, limits: Limits) -> Parts:
    """Return the runs. A part is a run without its large fields, one of those fields, or a feedback. Attachments are
    skipped.
    """
    found = Parts()
    for name, content in parts_of(body, content_type, limits):
        kind, _, rest = name.partition(".")
        id_, _, which = rest.partition(".")
        if kind == "attachment":
            continue
        if kind != "feedback" and (kind not in found.runs or which not in {"", *FIELDS}):
            raise MalformedRecord(f"part {name[:120]!r} is unknown; a part is post.ID, patch.ID or feedback.ID")
        try:
            value = read_json(content, f"part {name[:120]!r}")
        except MalformedRecord as error:
            if kind == "feedback":
                found.feedback.append(None)
            else:
                found.reasons[id_] = str(error)
                found.runs[kind].setdefault(id_, {"id": id_})
            continue
        if kind == "feedback":
            found.feedback.append(value)
        elif which:
            found.runs[kind].setdefault(id_, {"id": id_})[which] = value
        elif isinstance(value, dict):
            found.runs[kind].setdefault(id_, {}).update({**value, "id": id_})
        else:
            raise MalformedRecord(f"part {name[:120]!r} is not a JSON object")
    check_record_count(sum(map(len, found.runs.values())) + len(found.feedback), limits)
    return found


def _listed(body: Mapping[str, Any], key: str) -> Sequence[Any]:
    found = body.get(key)
    if found is not None and not isinstance(found, list):
        raise MalformedRecord(f"field {key!r} is not a list")
    return found or []


def _refuse(landed: IngestResult) -> None:
    """Raise an error when no record of the request was accepted."""
    if landed.reasons and len(landed.reasons) >= landed.records:
        more = len(landed.reasons) - 1
        raise MalformedRecord(landed.reasons[0] + (f" (and {more} more)" if more else ""))


def _answer(landed: IngestResult) -> Response:
    _refuse(landed)
    if not landed.reasons:
        return JSONResponse({}, status_code=202)
    summary = {"rejected": len(landed.reasons), "errors": landed.reasons[:MOST_REASONS]}
    return JSONResponse(summary, status_code=207)
