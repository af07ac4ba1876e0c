"""Detect a body that does not match its content type or its path, and report what to correct."""

from typing import Final

from monitor.errors import MalformedRecord
from monitor.guards.media_types import JSON
from monitor.ingest.json_text import parse_json

PROTOBUF: Final = "application/x-protobuf"
FIELDS: Final = {
    "traces": ("resourceSpans", "resource_spans"),
    "logs": ("resourceLogs", "resource_logs"),
    "metrics": ("resourceMetrics", "resource_metrics"),
}
MOST_QUOTED: Final = 5


class Mislabelled(MalformedRecord):
    """The body is well-formed and was sent as something else."""

    code = "mislabelled"


def is_json(body: bytes) -> bool:
    r"""Return whether the body begins as a JSON object or a list of them.

    >>> is_json(b' {"resourceSpans": []}'), is_json(b"\n{\n0"), is_json(b"")
    (True, False, False)
    """
    begin = b"".join(body[:256].split())[:3]
    return begin[:2] in (b'{"', b"{}") or begin in (b'[{"', b"[{}")


def encoding_mistake(body: bytes, content_type: str) -> Mislabelled | None:
    """Return the error for a body of the other content type, in which its reader found nothing."""
    if content_type == PROTOBUF and is_json(body):
        return Mislabelled(f"the body is JSON, and the content type is {PROTOBUF}; send it as {JSON}")
    if content_type == JSON and body[:1] == b"\n" and not is_json(body):
        return Mislabelled(f"the body is not JSON and looks like protobuf; send it as {PROTOBUF}")
    return None


def signal_mistake(body: bytes, signal: str) -> Mislabelled | None:
    """Return the error for a JSON request whose fields do not belong to its path."""
    document = parse_json(body, "the body")
    if not isinstance(document, dict) or not document or not document.keys().isdisjoint(FIELDS[signal]):
        return None
    for other, names in FIELDS.items():
        if not document.keys().isdisjoint(names):
            return Mislabelled(f"the body has {other}, and this path accepts {signal}; send it to /v1/{other}")
    found = ", ".join(sorted(map(str, document))[:MOST_QUOTED])
    return Mislabelled(f"the body has no field {FIELDS[signal][0]}: it is not an OTLP request; it has {found[:200]}")
