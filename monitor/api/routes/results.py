"""Results of other tools: uploads, and the state of every import."""

import hashlib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response

from monitor.api import encode_result as encode
from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.context import ApiContext, Context
from monitor.api.listing import ListQuery, as_list
from monitor.api.lookup import Identifier, missing
from monitor.api.problems import BodyTooLarge, InvalidRequest, UnsupportedMedia
from monitor.api.schema import ListPage, ResultImportItem
from monitor.api.schema.instant import RequestInstant
from monitor.api.uploads import ResultUploads
from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.domain.result_import import UPLOAD, ImportOptions, JobState, ResultImport
from monitor.domain.run import new_id
from monitor.errors import StoreUnavailable
from monitor.guards.media_types import require_media_type
from monitor.ingest.results.archive import unpack
from monitor.store.results import imports
from replay.results.companions import is_result_name

router = APIRouter(prefix="/api/v1/results", tags=["results"])
TAR = "application/x-tar"
MEDIA_TYPES = (TAR, "application/octet-stream", "application/json", "application/x-ndjson", "text/csv")
WRITE_BYTES = 1024 * 1024
Text = Annotated[str | None, Query(min_length=1, max_length=200)]
_BINARY = {"schema": {"type": "string", "format": "binary"}}
BODY: dict[str, Any] = {"requestBody": {"required": True, "content": dict.fromkeys(MEDIA_TYPES, _BINARY)}}


def _options(  # noqa: PLR0917 - the query of the request
    version: Text = None,
    model: Text = None,
    started_at: RequestInstant | None = None,
    scale: Annotated[list[str] | None, Query(max_length=100, description="METRIC=LOW:HIGH")] = None,
    primary: Text = None,
    accept_unknown: bool = False,
) -> ImportOptions:
    return ImportOptions(
        version=version,
        model=model,
        started_at=started_at,
        scales=dict(map(_scale, scale or ())),
        primary=primary,
        accept_unknown=accept_unknown,
    )


def _scale(text: str) -> tuple[str, tuple[float, float]]:
    metric, _, ends = text.rpartition("=")
    low, _, high = ends.partition(":")
    try:
        found = float(low), float(high)
    except ValueError:
        found = (0.0, 0.0)
    if not metric or not found[0] < found[1]:
        raise InvalidRequest("query.scale: METRIC=LOW:HIGH is expected, with LOW below HIGH; example: score=1:10")
    return metric, found


def _order(  # noqa: PLR0917 - the query of the request
    context: Context,
    sender: Sender,
    options: Annotated[ImportOptions, Depends(_options)],
    deployment: Annotated[str, Query(min_length=1, max_length=200)],
    filename: Annotated[str, Query(min_length=1, max_length=1000, description="Name of the file, or of the archive.")],
    set_name: Annotated[str | None, Query(alias="set", min_length=1, max_length=200)] = None,
    format_name: Annotated[str | None, Query(alias="format", max_length=100)] = None,
) -> ResultImport:
    _demand_format(format_name)
    limit = CURRENT_LIMIT.get()
    if limit is not None:  # before the body is read; the import checks the names that the files have
        limit.require([deployment])
        limit.require_own_sets([] if set_name is None else [set_name])
    now = context.clock.now()
    return ResultImport(
        id=new_id("import", now),
        source=UPLOAD,
        name=filename,
        digest="",
        deployment=deployment,
        set_name=set_name,
        at=now,
        who=sender.name,
        reader=context.code_version,
        bytes=0,
        files=0,
        format=format_name,
        options=options,
        limited_to=None if limit is None else tuple(sorted(limit.deployments)),
    )


@router.post("", response_model=ResultImportItem, **needs(Role.OPERATE, **BODY))
async def add_results(context: Context, request: Request, row: Annotated[ResultImport, Depends(_order)]) -> Response:
    """Import a result file, or several in a tar. The answer is sent when the files are on disk; a job imports them.

    The same content with the same options is the same import, unless it failed.
    """
    uploads = _uploads(context)
    kind = require_media_type(request.headers.get("content-type", ""), MEDIA_TYPES, UnsupportedMedia)
    with uploads.spool.filling(row.id) as folder:
        body = folder / ".body"
        size, digest = await _received(request.stream(), body, uploads.limits.max_bytes)
        files = await run_in_threadpool(_place, body, folder, row.name, uploads, tar=kind == TAR)
        stored = await run_in_threadpool(_stored, context, row, size, digest, files)
    if stored.id != row.id:
        uploads.spool.remove(row.id)
    context.wake()
    return JSONResponse(encode.result_import(stored).model_dump(mode="json"), 202)


@router.get("/imports", **needs(Role.READ))
def list_imports(context: Context, query: ListQuery) -> ListPage[ResultImportItem]:
    """List imports of results, newest first."""
    with context.store.read() as tx:
        page = imports.page(tx, query)
    return as_list(page, lambda row: _item(context, row))


@router.get("/imports/{id}", **needs(Role.READ))
def get_import(context: Context, id: Identifier) -> ResultImportItem:  # noqa: A002 - the path uses id
    """Return an import of results: its state, how far it is, its runs, and the reason of a failure."""
    with context.store.read() as tx:
        row = imports.get(tx, id)
    if row is None:
        raise missing("import", id, "results/imports")
    return _item(context, row)


def _item(context: ApiContext, row: ResultImport) -> ResultImportItem:
    running = context.uploads.progress.of(row.id) if context.uploads is not None else None
    return encode.result_import(row, running)


def _uploads(context: ApiContext) -> ResultUploads:
    if context.uploads is None:
        raise StoreUnavailable("this process takes no results; start the daemon with `driftd serve`")
    return context.uploads


async def _received(chunks: AsyncIterator[bytes], path: Path, limit: int) -> tuple[int, str]:
    """Write the body to a file, and return its size and its SHA-256. Only a part of it is in memory."""
    digest, size, part = hashlib.sha256(), 0, bytearray()
    with path.open("wb") as file:
        async for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise BodyTooLarge(f"the body is larger than {limit} bytes (ingest.result_limits.max_mb); split it")
            part += chunk
            if len(part) >= WRITE_BYTES:
                digest.update(part)
                await run_in_threadpool(file.write, bytes(part))
                part.clear()
        digest.update(part)
        file.write(part)
    if not size:
        raise InvalidRequest("body: is empty; send a result file, or a tar of several")
    return size, digest.hexdigest()


def _place(body: Path, folder: Path, filename: str, uploads: ResultUploads, *, tar: bool) -> int:
    """Give the body its name, or unpack it, and return the number of files."""
    limits = uploads.limits
    if tar:
        files = unpack(body, folder, max_bytes=limits.max_bytes, max_files=limits.max_files)
        body.unlink()
        if not files:
            raise InvalidRequest("body: the archive has no files")
        return files
    name = PurePosixPath(filename).name
    if not is_result_name(name) or len(name.encode()) > 200:
        raise InvalidRequest(
            "query.filename: no format has files of this name; send .json, .jsonl, .csv, .yaml or .eval, each also "
            f"with .gz, or a tar as {TAR}"
        )
    body.rename(folder / name)
    return 1


def _stored(context: ApiContext, row: ResultImport, size: int, digest: str, files: int) -> ResultImport:
    """Store the import; return the earlier one if it has the same content and options and did not fail."""
    new = replace(row, bytes=size, digest=digest, files=files)
    with context.store.write() as tx:
        known = imports.same_as(tx, new)
        if known is not None and known.state is not JobState.FAILED:
            return known
        imports.insert(tx, new)
    return new


def _demand_format(name: str | None) -> None:
    if name is None:
        return
    from replay.results.table import RESULT_FORMATS  # slow to import; most requests name no format

    if name not in RESULT_FORMATS:
        raise InvalidRequest(f"query.format: {name[:100]!r} is unknown; known: {', '.join(sorted(RESULT_FORMATS))}")
