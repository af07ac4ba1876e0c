"""Select the span attributes that an interaction keeps: evidence of what served the call, never its texts."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from monitor.ingest.conventions.attribute_cache import cached_by_names
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.genai.attributes import MAPPED_ATTRIBUTES, MAX_TEXT, RESOURCE_ATTRIBUTES
from monitor.ingest.conventions.unread import UNREAD
from monitor.ingest.json_text import storable, storable_text
from monitor.ingest.spans import OtlpSpan

NEVER_KEPT = (  # texts of every convention, tools with their schemas, stack traces, and headers
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
    UNREAD,  # only driftd sets this
)


AttributeFilter = Callable[[Mapping[str, Any]], tuple[str, ...]]  # attributes -> the names that are kept


def attribute_filter(
    dropped: tuple[str, ...] = (), have_a_field: frozenset[str] = MAPPED_ATTRIBUTES
) -> AttributeFilter:
    """Return a filter that keeps attributes without a field of their own and without a dropped prefix."""
    beginnings = NEVER_KEPT + dropped

    def is_kept(name: str) -> bool:
        return name not in have_a_field and not name.startswith(beginnings)

    return cached_by_names(lambda names: tuple(filter(is_kept, names)))


def kept_attributes(span: OtlpSpan, context: CallContext, kept_names: AttributeFilter) -> dict[str, Any]:
    """Return the attributes that the call keeps: its own, inherited ones, and the release from its resource.

    Empty values are left out.
    """
    return kept_by_name(span, context, kept_names(span.attributes))


def kept_by_name(span: OtlpSpan, context: CallContext, names: Iterable[str]) -> dict[str, Any]:
    """Return the kept attributes. `names`: those of its own that the call keeps, all present."""
    resource = span.resource
    found = {name: resource[name] for name in RESOURCE_ATTRIBUTES if name in resource}
    found |= context.kept
    own = span.attributes
    for name in names:
        value = own[name]
        if type(value) is not str:
            found[name] = value if type(value) is int or type(value) is bool else bounded(value)
        elif value:
            found[name] = value if len(value) <= MAX_TEXT and value.isascii() else bounded(value)
    return found


def attributes_for_calls_below(attributes: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Return the attributes of a span that the calls below it keep: those of `names`, and `driftd.*`."""
    return {n: bounded(v) for n, v in attributes.items() if (n in names or n.startswith("driftd.")) and n != UNREAD}


def bounded(value: Any) -> Any:
    """Return the value, or the first MAX_TEXT characters of its text when it is longer."""
    if isinstance(value, str):
        text = value if value.isascii() else storable_text(value)
        return text[:MAX_TEXT] + "…" if len(text) > MAX_TEXT else text
    if isinstance(value, int | bool) or value is None:
        return value
    text = str(found := storable(value))
    return text[:MAX_TEXT] + "…" if len(text) > MAX_TEXT else found
