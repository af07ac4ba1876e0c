"""Bodies of writes: read after the role was checked, bounded, JSON only."""

import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import pydantic
from fastapi import Depends, Header, Request

from monitor.api.context import Context
from monitor.api.problems import BodyTooLarge, InvalidRequest, UnsupportedMedia, describe_faults
from monitor.errors import MalformedRecord
from monitor.guards.media_types import JSON, require_media_type
from monitor.ingest.json_text import parse_json

M = TypeVar("M", bound=pydantic.BaseModel)
PIECE_BYTES = 32 * 1024 * 1024  # six times what monitor/cli/ingest.py puts into one: JSON may need that for a byte
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """The raw body of a write, with the key under which its answer is remembered."""

    route: str
    key: str | None
    body: bytes

    @property
    def request_hash(self) -> str:
        return hashlib.sha256(self.body).hexdigest()

    def parse(self, model: type[M]) -> M:
        """The body as `model`; InvalidRequest names the field that is wrong, never its value."""
        try:
            return model.model_validate_json(self.body)
        except pydantic.ValidationError as error:
            faults = error.errors(include_input=False, include_url=False)
            raise InvalidRequest(describe_faults(faults, "body")) from None

    def json(self) -> Any:
        """The body as JSON values as they were sent: each record of a batch is made storable by itself."""
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
    async with context.room.place() as place:
        body = await _bounded(place.receive(request.stream()), limit)
        yield WriteRequest(route=f"{request.method} {request.url.path}", key=key, body=body)


async def _bounded(received: AsyncIterator[bytes], limit: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in received:
        size += len(chunk)
        if size > limit:
            why = f"the body is larger than {limit} bytes"
            raise BodyTooLarge(f"{why}; send it in smaller batches, or raise ingest.max_body_mb")
        chunks.append(chunk)
    return b"".join(chunks)


Write = Annotated[WriteRequest, Depends(_read_write)]
WritePiece = Annotated[WriteRequest, Depends(_read_piece)]  # of a file: a record may be as large as another body


def json_body(schema: dict[str, Any]) -> dict[str, Any]:
    """The `requestBody` of an operation in the OpenAPI document."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def model_body(model: type[pydantic.BaseModel]) -> dict[str, Any]:
    """`json_body` for a model of the wire contract; monitor/api/openapi.py adds its schema to the document."""
    return json_body({"$ref": f"#/components/schemas/{model.__name__}"})
