"""Real requests with random mutations: requests of five real clients, and native records."""

import gzip
import json
import zlib
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from tests.fuzz.requests import FEEDBACK, INTERACTIONS, JSON, Request, json_span, native
from tests.ingest.captures import CLIENTS, captures

NASTY: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 2**63, -(2**63) - 1, 10**40, 1e308, float("nan"), float("inf"), "", "\0", "\ud800",
    "\uffff", "9" * 30, "x" * 5000, "[", '[{"', '"' + '\\"' * 50, "{}", "null", [], {}, [[]], {"": ""}, [None] * 50,
    {"stringValue": 5}, {"intValue": "x"}, {"arrayValue": {"values": 1}}, {"kvlistValue": {"values": [{}]}},
    "2026-11-21T02:00:00Z", "9999-12-31T23:59:59-23:59", "0" * 32, "f" * 32,
)  # fmt: skip
BYTES = (b"\0", b"\xff", b"\x80" * 9, b"\n", b"[", b"{", b'"', b"\\u", b"\xed\xa0\x80", b"\xef\xbb\xbf")
TYPES = ("application/json", "application/x-protobuf", "application/json; charset=utf-8", "text/plain", "")
FEEDBACK_RECORD = {"at": "2026-11-21T02:00:00Z", "interaction_id": "i-1", "kind": "thumb", "value": -1}


def mutated(rng: Random, number: int) -> Request:
    """Return a real request with an error. Whether the whole request may be rejected is unknown."""
    base = rng.choice(_bases())
    if base.headers == JSON and rng.random() < 0.7:
        document = json.loads(base.body)
        for _ in range(rng.randint(1, 4)):
            document = _poisoned(document, rng)
        body = json.dumps(document).encode("utf-8", "surrogatepass")
    else:
        body = base.body
    for _ in range(rng.choice((0, 1, 1, 3))):
        body = rng.choice(_BROKEN)(body, rng)
    headers = dict(base.headers) if rng.random() < 0.95 else {"content-type": rng.choice(TYPES)}
    body, headers = _packed(body, headers, rng)
    return Request(name=f"mutated-{number}", path=base.path, headers=headers, body=body, refused=True)


@cache
def _bases() -> tuple[Request, ...]:
    """Return every captured request uncompressed, and native records."""
    real = [
        Request(
            name=f"{client}/{capture.scenario}",
            path=capture.path,
            headers={"content-type": capture.content_type},
            body=gzip.decompress(capture.body) if capture.content_encoding == "gzip" else capture.body,
        )
        for client in CLIENTS
        for capture in captures(client)
    ]
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [json_span("mutated")]}]}]}
    own = [
        Request(name="native", path=INTERACTIONS, headers=JSON, body=json.dumps([native("mutated")] * 3).encode()),
        Request(name="feedback", path=FEEDBACK, headers=JSON, body=json.dumps([FEEDBACK_RECORD] * 3).encode()),
        Request(name="spans", path="/v1/traces", headers=JSON, body=json.dumps(spans).encode()),
    ]
    return (*real, *own * max(1, len(real) // 6))


def _poisoned(document: Any, rng: Random) -> Any:
    """Return the document with one random node replaced by a hostile value."""
    if rng.random() < 0.1 or not isinstance(document, list | dict) or not document:
        return rng.choice(NASTY)
    if isinstance(document, list):
        at = rng.randrange(len(document))
        return [*document[:at], _poisoned(document[at], rng), *document[at + 1 :]]
    key = rng.choice(list(document))
    if rng.random() < 0.1:
        return document | {rng.choice(("", "\0", "type", "x" * 300)): document[key]}
    return document | {key: _poisoned(document[key], rng)}


def _flipped(body: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(body) or 1)
    return body[:at] + bytes([rng.randrange(256)]) + body[at + 1 :]


def _cut(body: bytes, rng: Random) -> bytes:
    return body[: rng.randrange(len(body) + 1)]


def _inserted(body: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(body) + 1)
    return body[:at] + rng.choice(BYTES) * rng.choice((1, 1, 50)) + body[at:]


def _doubled(body: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(body) + 1)
    return body + body[start : start + 2000]


def _without(body: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(body) + 1)
    return body[:start] + body[start + rng.randint(1, 40) :]


def _noise(_body: bytes, rng: Random) -> bytes:
    return rng.randbytes(rng.randrange(2000))


_BROKEN: tuple[Callable[[bytes, Random], bytes], ...] = (_flipped, _cut, _inserted, _doubled, _without, _noise)


def _packed(body: bytes, headers: dict[str, str], rng: Random) -> tuple[bytes, dict[str, str]]:
    """Sometimes compress the body, rarely with another encoding than its header."""
    chance = rng.random()
    if chance < 0.2:
        return gzip.compress(body, 1), headers | {"content-encoding": "gzip"}
    if chance < 0.3:
        return zlib.compress(body, 1), headers | {"content-encoding": "deflate"}
    if chance < 0.35:
        return body, headers | {"content-encoding": rng.choice(("gzip", "deflate", "br", "identity"))}
    return body, headers
