"""Request bodies of writes: JSON only, limited in size, read after the role check."""

import hashlib
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import pydantic
from fastapi import Depends, Header, Request

from monitor.api.context import Context
from monitor.api.problems import BodyTooLarge, InvalidRequest, UnsupportedMedia, describe_faults
from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.errors import MalformedRecord
from monitor.guards.media_types import JSON, require_media_type
from monitor.ingest.json_text import parse_json

M = TypeVar("M", bound=pydantic.BaseModel)
SET_BYTES = 128 * 1024 * 1024  # 12,032 questions of MMLU-Pro with five examples each
PIECE_BYTES = 32 * 1024 * 1024  # six times the chunk of monitor/cli/ingest.py, because JSON may escape one byte as six
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """The raw body of a write and its idempotency key."""

    route: str
    key: str | None
    body: bytes

    @property
    def request_hash(self) -> str:
        return hashlib.sha256(self.body).hexdigest()

    def parse(self, model: type[M]) -> M:
        """Return the body as `model`. Raises InvalidRequest with the name of the invalid field, not its value."""
        try:
            return model.model_validate_json(self.body)
        except pydantic.ValidationError as error:
            faults = error.errors(include_input=False, include_url=False)
            raise InvalidRequest(describe_faults(faults, "body")) from None

    def json(self) -> Any:
        """Return the body as raw JSON values: each record of a batch is cleaned separately."""
        try:
            return parse_json(self.body, "body")
        except MalformedRecord as error:
            raise InvalidRequest(str(error)) from None


Key = Annotated[str | None, Header()]


async def _read_write(request: Request, context: Context, idempotency_key: Key = None) -> AsyncIterator[WriteRequest]:
    async with _received(request, context, idempotency_key, context.max_body_bytes) as write:
        yield write


async def _read_piece(request: Request, context: Context, idempotency_key: Key = None) -> AsyncIterator[WriteRequest]:
    limit = max(2 * context.max_body_bytes, PIECE_BYTES)
    async with _received(request, context, idempotency_key, limit) as write:
        yield write


@asynccontextmanager
async def _received(request: Request, context: Context, key: str | None, limit: int) -> AsyncIterator[WriteRequest]:
    if key is not None and not _KEY.fullmatch(key):
        raise InvalidRequest("header.idempotency-key: 1 to 255 printable ASCII characters without spaces are expected")
    require_media_type(request.headers.get("content-type", ""), (JSON,), UnsupportedMedia)
    async with context.room.place() as reservation:
        body = await bounded(
            reservation.receive(request.stream()), limit, "send it in smaller batches, or raise ingest.max_body_mb"
        )
        yield WriteRequest(route=f"{request.method} {request.url.path}{_scope()}", key=key, body=body)


def _scope() -> str:
    """Return the limit of the sender: a stored answer is only for senders with the same limit."""
    limit = CURRENT_LIMIT.get()
    return "" if limit is None else f" {json.dumps(sorted(limit.deployments))}"


async def bounded(received: AsyncIterator[bytes], limit: int, correction: str) -> bytes:
    """Return the whole body. Raises BodyTooLarge, with the correction, for more than `limit` bytes."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in received:
        size += len(chunk)
        if size > limit:
            raise BodyTooLarge(f"the body is larger than {limit} bytes; {correction}")
        chunks.append(chunk)
    return b"".join(chunks)


async def _read_set(request: Request, context: Context, idempotency_key: Key = None) -> AsyncIterator[WriteRequest]:
    limit = max(8 * context.max_body_bytes, SET_BYTES)
    async with _received(request, context, idempotency_key, limit) as write:
        yield write


Write = Annotated[WriteRequest, Depends(_read_write)]
WriteSet = Annotated[WriteRequest, Depends(_read_set)]  # a revision is one body: a set cannot be sent in batches
WritePiece = Annotated[WriteRequest, Depends(_read_piece)]  # of a file: one record may be as large as a normal body


def json_body(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the `requestBody` of an OpenAPI operation."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def form_body(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the `requestBody` of an OpenAPI operation that takes a form."""
    return {"requestBody": {"required": True, "content": {"application/x-www-form-urlencoded": {"schema": schema}}}}


def model_body(model: type[pydantic.BaseModel]) -> dict[str, Any]:
    """Return `json_body` for a model of the schema; monitor/api/openapi.py adds the model to the document."""
    return json_body({"$ref": f"#/components/schemas/{model.__name__}"})
