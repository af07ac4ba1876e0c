"""Send the captured requests over each OTLP transport with the same content."""

import base64
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import grpc
import httpx
import pyarrow as pa
from google.protobuf.json_format import MessageToDict, ParseDict  # type: ignore[import-untyped]  # protobuf: no types
from google.protobuf.message import Message  # type: ignore[import-untyped]
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from monitor.ingest.http.body import decompress
from monitor.ingest.otlp.grpc import SERVICES
from tests.ingest.capture import Capture
from tests.ingest.captures import CLIENTS, captures
from tests.ingest.pipeline import IngestPipeline, otlp_app, receiver, served, served_grpc

MESSAGES: dict[str, Callable[[], Message]] = {"traces": ExportTraceServiceRequest, "logs": ExportLogsServiceRequest}
METHODS = {signal.name: method for method, signal in SERVICES.items()}
IDS = ("traceId", "spanId", "parentSpanId")
Pack = Callable[[bytes], bytes]
Send = Callable[[str, bytes], None]  # signal, protobuf message


@dataclass(frozen=True)
class Content:
    """One captured request of any encoding: its signal and its protobuf message."""

    signal: str
    body: bytes


@cache
def contents() -> tuple[Content, ...]:
    """Return the requests of all clients in order of arrival."""
    return tuple(content_of(capture) for client in CLIENTS for capture in captures(client))


def content_of(capture: Capture) -> Content:
    signal = capture.path.rsplit("/", 1)[-1]
    plain = decompress(capture.body, capture.content_encoding, 1 << 24)
    if capture.content_type == "application/json":
        plain = ParseDict(with_ids(json.loads(plain), to_base64), MESSAGES[signal]()).SerializeToString()
    return Content(signal=signal, body=plain)


def as_json(signal: str, body: bytes) -> bytes:
    """Return the message in OTLP JSON: ids in hexadecimal, enumerations as numbers."""
    message = MESSAGES[signal]()
    message.ParseFromString(body)
    return json.dumps(with_ids(MessageToDict(message, use_integers_for_enums=True), to_hex)).encode()


def with_ids(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, list):
        return [with_ids(item, change) for item in value]
    if isinstance(value, dict):
        return {k: change(v) if k in IDS else with_ids(v, change) for k, v in value.items()}
    return value


def to_hex(text: str) -> str:
    return base64.b64decode(text).hex()


def to_base64(text: str) -> str:
    return base64.b64encode(bytes.fromhex(text)).decode()


@contextmanager
def over_http(
    pipeline: IngestPipeline, *, json_text: bool = False, encoding: str = "", pack: Pack = bytes, prefix: str = ""
) -> Iterator[Send]:
    headers = {"content-type": "application/json" if json_text else "application/x-protobuf"}
    headers |= {"content-encoding": encoding} if encoding else {}
    with served(otlp_app(pipeline)) as client:

        def send(signal: str, body: bytes) -> None:
            sent = as_json(signal, body) if json_text else body
            answer: httpx.Response = client.post(f"{prefix}/v1/{signal}", content=pack(sent), headers=headers)
            assert answer.status_code == 200, answer.text

        yield send


@contextmanager
def over_grpc(pipeline: IngestPipeline, compression: grpc.Compression) -> Iterator[Send]:
    with served_grpc(receiver(pipeline)) as where, grpc.insecure_channel(where) as channel:
        calls: dict[str, Callable[..., bytes]] = {
            signal: channel.unary_unary(method) for signal, method in METHODS.items()
        }

        def send(signal: str, body: bytes) -> None:
            calls[signal](body, timeout=30, compression=compression)

        yield send


def raw_deflate(plain: bytes) -> bytes:
    return zlib.compress(plain, wbits=-zlib.MAX_WBITS)


def zstd(plain: bytes) -> bytes:
    packed: bytes = pa.Codec("zstd").compress(plain, asbytes=True)
    return packed


TRANSPORTS: dict[str, Callable[[IngestPipeline], Any]] = {
    "protobuf": over_http,
    "protobuf, gzip": lambda pipeline: over_http(pipeline, encoding="gzip", pack=gzip.compress),
    "protobuf, deflate": lambda pipeline: over_http(pipeline, encoding="deflate", pack=zlib.compress),
    "protobuf, deflate without its header": lambda pipeline: over_http(pipeline, encoding="deflate", pack=raw_deflate),
    "protobuf, zstd": lambda pipeline: over_http(pipeline, encoding="zstd", pack=zstd),
    "protobuf, where Langfuse's clients send": lambda pipeline: over_http(pipeline, prefix="/api/public/otel"),
    "json": lambda pipeline: over_http(pipeline, json_text=True),
    "json, gzip": lambda pipeline: over_http(pipeline, json_text=True, encoding="gzip", pack=gzip.compress),
    "grpc": lambda pipeline: over_grpc(pipeline, grpc.Compression.NoCompression),
    "grpc, gzip": lambda pipeline: over_grpc(pipeline, grpc.Compression.Gzip),
    "grpc, deflate": lambda pipeline: over_grpc(pipeline, grpc.Compression.Deflate),
}
