"""Which attributes of a dialect's span stay with the interaction: evidence of what served it, never its texts."""

from typing import Any

from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.genai_attributes import HAVE_A_FIELD, MAX_TEXT, OF_RESOURCE
from monitor.ingest.json_text import storable, storable_text
from monitor.ingest.otlp_records import OtlpSpan

NEVER = (  # texts in any dialect, tools with their schemas, stack traces, and headers
    "gen_ai.prompt",
    "gen_ai.completion",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.tool.definitions",
    "input.value",
    "output.value",
    "error.message",
    "error.stack_trace",
)


def evidence(
    span: OtlpSpan, context: CallContext, dropped: tuple[str, ...] = (), have_a_field: frozenset[str] = HAVE_A_FIELD
) -> dict[str, Any]:
    """The span's own, what the application set around it, and the release it belongs to.

    Left out are texts, what has a field, and what begins with a dropped name. What is empty says nothing.
    """
    found = {name: span.resource[name] for name in OF_RESOURCE if name in span.resource}
    for name, value in context.inherited.items():
        if name in context.kept_from_ancestors or name.startswith("driftd."):
            found[name] = _bounded(value)
    beginnings = NEVER + dropped
    for name, value in span.attributes.items():
        if name not in have_a_field and value != "" and not name.startswith(beginnings):
            found[name] = _bounded(value)
    return found


def _bounded(value: Any) -> Any:
    """Anything longer than MAX_TEXT becomes the beginning of its text."""
    if isinstance(value, str):
        text = value if value.isascii() else storable_text(value)
        return text[:MAX_TEXT] + "…" if len(text) > MAX_TEXT else text
    if isinstance(value, int | bool) or value is None:
        return value
    text = str(found := storable(value))
    return text[:MAX_TEXT] + "…" if len(text) > MAX_TEXT else found
