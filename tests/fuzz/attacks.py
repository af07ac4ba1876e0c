"""Known attacks on receivers of JSON and protobuf, one request each."""

import gzip
import json
import zlib
from collections.abc import Iterator
from typing import Any

from tests.fuzz.requests import (
    FEEDBACK,
    INTERACTIONS,
    JSON,
    LOGS,
    PROTOBUF,
    TRACES,
    Request,
    field,
    json_span,
    native,
    natives,
    natives_text,
    protobuf_span,
    text_attribute,
    traces_json,
    traces_protobuf,
    traces_text,
)

MIB = 2**20
DEEP = 400  # depth that a parser accepts and a recursive function does not
DEEPER = 100_000  # depth that no parser accepts


def attacks() -> Iterator[Request]:
    """Yield the small attacks."""
    yield from _numbers()
    yield from _depth()
    yield from _texts()
    yield from _shapes()
    yield from _protobuf()
    yield from _bodies()


def heavy_attacks() -> Iterator[Request]:
    """Yield attacks on memory, with megabytes in each request."""
    yield from _bombs()
    yield from _sizes()


def _numbers() -> Iterator[Request]:
    huge = 10**30
    for name, value in (("int", huge), ("negative", -huge), ("digits", "9" * 20), ("float", 1e300), ("bool", True)):
        span = json_span(f"bad-{name}", {"key": "gen_ai.usage.input_tokens", "value": {"intValue": value}})
        yield traces_json(f"tokens-{name}", span)
        yield natives(f"native-tokens-{name}", native("bad", usage={"input_tokens": value}))
        yield natives(f"native-seed-{name}", native("bad", request={"model": "m", "seed": value}))
        yield natives(f"native-duration-{name}", native("bad", duration_ms=value))
        yield natives(f"native-attribute-{name}", native("bad", attributes={"x": value, "y": [{"z": value}]}))
    for name, value in (("far", str(2**64 - 1)), ("huge", huge), ("negative", -1), ("text", "soon"), ("float", 1.5)):
        yield traces_json(f"time-{name}", json_span("bad", startTimeUnixNano=value))
        yield traces_json(f"end-{name}", json_span("bad", endTimeUnixNano=value))
    for literal in ("NaN", "Infinity", "-Infinity", "1e999", "1" * 5000, "-0", "0x10"):
        yield natives_text(f"literal-{literal[:9]}", f'{{"id":"x","duration_ms":{literal}}}', refused=True)
        text = '{"traceId":"x","attributes":[{"key":"a","value":{"doubleValue":' + literal + "}}]}"
        yield traces_text(f"span-literal-{literal[:9]}", text, refused=True)
    for at in ("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-02-30T00:00:00Z", "2026-11-21"):
        yield natives(f"at-{at}", native("bad", started_at=at))


def _depth() -> Iterator[Request]:
    for depth in (50, DEEP, 900, DEEPER):
        nested = "[" * depth + "]" * depth
        objects = '{"a":' * depth + "1" + "}" * depth
        values = '{"arrayValue":{"values":[' * (depth // 3) + "]}}" * (depth // 3)
        refused = depth > DEEP
        for name, text in (("lists", nested), ("objects", objects)):
            attributes = json.dumps(native("bad"))[:-1] + f',"attributes":{{"x":{text}}}}}'
            yield natives_text(f"deep-{name}-{depth}", attributes, refused=refused)
            yield natives_text(f"deep-record-{name}-{depth}", text, refused=refused)
            messages = json.dumps(native("bad", request={"messages": "M"})).replace('"M"', text)
            yield natives_text(f"deep-messages-{name}-{depth}", messages, refused=refused)
            span = json_span("bad", text_attribute("gen_ai.input.messages", text))
            yield traces_json(f"deep-in-a-string-{name}-{depth}", span)
        span_text = json.dumps(json_span("bad", {"key": "x", "value": "V"})).replace('"V"', values)
        yield traces_text(f"deep-values-{depth}", span_text, refused=refused)


def _texts() -> Iterator[Request]:
    half = '{"id":"half","started_at":"2026-11-21T02:00:00Z","conversation_id":"\\ud83d","unknown":"\\udc00"}'
    yield natives_text("half-an-emoji", half)
    yield natives_text("half-an-emoji-as-key", '{"\\ud800":1}')
    yield traces_text("half-in-a-span", json.dumps(json_span("x" + "y", name="a\ud800")))
    yield traces_text("half-in-an-id", json.dumps(json_span("bad", traceId="\udfff" * 32)))
    yield natives("null-bytes", native("a\0b", conversation_id="\0", attributes={"\0": "\0"}))
    yield natives("controls", native("".join(map(chr, range(32))), user_id="\u2028\u202e\ufeff"))
    yield natives("long-id", native("x" * MIB))
    yield natives("long-unknown-field", {"u" * MIB: 1})
    yield traces_json("long-name", json_span("bad", name="n" * MIB, startTimeUnixNano="0"))
    for name, text in (("escapes", '"' + '\\"' * 100_000), ("quotes", '"' * 100_000), ("backslashes", "\\" * 100_001)):
        yield natives(f"quotes-{name}", {"id": "bad", "unknown": text})
        yield natives(f"nested-quotes-{name}", {"id": "bad", "unknown": json.dumps(text)})
        yield traces_json(f"span-{name}", json_span("bad", text_attribute("x", text), startTimeUnixNano="0"))
        yield traces_json(
            f"messages-{name}", json_span("b" + name, text_attribute("gen_ai.input.messages", "[" + text))
        )


def _shapes() -> Iterator[Request]:
    shapes: tuple[Any, ...] = (None, True, 1, "text", [], {}, [[]], {"type": 5}, {"type": {}}, {"id": {}}, {"id": []})
    for bad in shapes:
        name = json.dumps(bad)
        yield natives(f"shape-{name}", bad)
        yield Request(name=f"alone-{name}", path=INTERACTIONS, headers=JSON, body=name.encode(), refused=True)
        yield Request(name=f"feedback-{name}", path=FEEDBACK, headers=JSON, body=f"[{name}]".encode())
        yield Request(name=f"body-{name}", path=TRACES, headers=JSON, body=name.encode(), refused=True)
        yield Request(name=f"log-body-{name}", path=LOGS, headers=JSON, body=name.encode(), refused=True)
        for key in ("request", "response", "usage", "prompt", "error", "attributes", "trace_id", "started_at"):
            yield natives(f"{key}-{name}", native("bad", **{key: bad}))
        for key in ("traceId", "attributes", "events", "status", "name", "startTimeUnixNano"):
            yield traces_json(f"{key}-{name}", json_span("bad", **{key: bad}))
        yield traces_text(f"span-{name}", name, refused=True)
        value = {"key": "gen_ai.output.messages", "value": {"stringValue": name}}
        yield traces_json(f"messages-{name}", json_span(f"m{name}", value))
        document = {"resourceSpans": bad}
        yield Request(
            name=f"groups-{name}", path=TRACES, headers=JSON, body=json.dumps(document).encode(), refused=True
        )


def _protobuf() -> Iterator[Request]:
    deep = field(9, field(1, b"x") + field(2, _nested(500)))
    good = protobuf_span("bad").SerializeToString()
    yield traces_protobuf("protobuf-deep-value", good + deep)
    yield traces_protobuf("protobuf-no-utf8", good + field(5, b"\xff\xfe"))
    yield traces_protobuf("protobuf-no-utf8-attribute", good + field(9, field(1, b"\xc3\x28")))
    yield traces_protobuf("protobuf-short-ids", field(1, b"\x01") + field(2, b""))
    yield traces_protobuf("protobuf-wrong-wire-type", b"\x08\x01" + good)
    yield traces_protobuf("protobuf-group", b"\x0b" + good)
    yield traces_protobuf("protobuf-cut-span", good[:-3])
    yield traces_protobuf("protobuf-unknown-fields", good + field(4000, b"x" * 1000))
    body = traces_protobuf("protobuf-cut").body
    yield Request(name="protobuf-cut", path=TRACES, headers=PROTOBUF, body=body[:-5], refused=True)
    yield Request(name="protobuf-length", path=TRACES, headers=PROTOBUF, body=b"\x0a\xff\xff\xff\xff\x7f", refused=True)
    yield Request(name="protobuf-varint", path=TRACES, headers=PROTOBUF, body=b"\xff" * 20, refused=True)
    yield Request(name="json-as-protobuf", path=TRACES, headers=PROTOBUF, body=b'{"resourceSpans":[]}', refused=True)
    yield Request(name="protobuf-as-json", path=TRACES, headers=JSON, body=body, refused=True)
    yield traces_protobuf("protobuf-empty-attributes", good + field(9, b"") * 10_000)


def _nested(depth: int) -> bytes:
    """Return an AnyValue of nested arrays, too deep for protobuf's own classes."""
    value = b""
    for _ in range(depth):
        value = field(5, field(1, value))
    return value


def _bodies() -> Iterator[Request]:
    plain = traces_json("plain", json_span("bad", startTimeUnixNano="0")).body
    packed = gzip.compress(plain)
    cases = {
        "no-gzip": ("gzip", plain),
        "cut-gzip": ("gzip", packed[:-4]),
        "garbage-after": ("gzip", packed + b"garbage"),
        "small-bomb": ("gzip", gzip.compress(b" " * (20 * MIB), compresslevel=1)),
        "no-deflate": ("deflate", b"\x78\x9c" + b"\xff" * 100),
        "brotli": ("br", plain),
        "two-encodings": ("gzip, gzip", packed),
        "long-encoding": ("g" * 5000, packed),
    }
    yield from _encoded(cases)
    for path in (TRACES, LOGS, INTERACTIONS, FEEDBACK):
        for content_type in ("", "text/plain", "application/json; charset=utf-16", "application/x-protobuf;;", "é/ü"):
            headers = {"content-type": content_type}
            yield Request(name=f"as-{content_type}{path}", path=path, headers=headers, body=plain, refused=True)
        for body in (b"", b"\xff\xfe", b"\xef\xbb\xbf", b"{", b'"', b"nul", b"\0" * 1000, b"[" * 1000, b"{}" * 1000):
            yield Request(name=f"body-{body[:4]!r}{path}", path=path, headers=JSON, body=body, refused=True)


def _bombs() -> Iterator[Request]:
    yield from _encoded(
        {
            "bomb": ("gzip", gzip.compress(b" " * (400 * MIB), compresslevel=1)),
            "bomb-in-a-bomb": ("gzip", gzip.compress(gzip.compress(b" " * (400 * MIB), compresslevel=1))),
            "deflate-bomb": ("deflate", zlib.compress(b"[" * (64 * MIB), 1)),
            "many-members": ("gzip", gzip.compress(b"", mtime=0) * 600_000),
            "many-deflate-members": ("deflate", zlib.compress(b"") * 1_500_000),
        }
    )


def _encoded(cases: dict[str, tuple[str, bytes]]) -> Iterator[Request]:
    for name, (encoding, body) in cases.items():
        headers = JSON | {"content-encoding": encoding}
        yield Request(name=name, path=TRACES, headers=headers, body=body, refused=True)


def _sizes() -> Iterator[Request]:
    """Yield requests that are small when sent and large in memory."""
    most = 15 * MIB
    yield Request(name="many-numbers", path=INTERACTIONS, headers=JSON, body=_list(b"1", most), refused=True)
    yield Request(name="many-empty", path=FEEDBACK, headers=JSON, body=_list(b"{}", most), refused=True)
    yield Request(name="many-lists", path=INTERACTIONS, headers=JSON, body=_list(b"[]", most), refused=True)
    spans = b'{"resourceSpans":[{"scopeSpans":[{"spans":%s}]}]}' % _list(b"{}", most)
    yield Request(name="many-spans", path=TRACES, headers=JSON, body=spans, refused=True)
    groups = b'{"resourceSpans":%s}' % _list(b"{}", most)
    yield Request(name="many-groups", path=TRACES, headers=JSON, body=groups, refused=True)
    body = field(1, field(2, field(2, b"") * (most // 2)))
    yield Request(name="many-protobuf-spans", path=TRACES, headers=PROTOBUF, body=body, refused=True)
    body = field(1, b"") * (most // 2)
    yield Request(name="many-protobuf-groups", path=TRACES, headers=PROTOBUF, body=body, refused=True)
    body = field(1, field(2, field(2, b"") * (most // 2)))
    yield Request(name="many-protobuf-logs", path=LOGS, headers=PROTOBUF, body=body, refused=True)
    good = protobuf_span("bad").SerializeToString()
    yield traces_protobuf("many-protobuf-attributes", good + field(9, b"") * (most // 2), refused=True)
    yield natives("one-long-text", native("long", attributes={"x": "y" * (14 * MIB)}), refused=True)
    yield natives("too-long", native("too", attributes={"x": "y" * (17 * MIB)}), refused=True)


def _list(item: bytes, size: int) -> bytes:
    return b"[" + (item + b",") * (size // (len(item) + 1)) + item + b"]"
