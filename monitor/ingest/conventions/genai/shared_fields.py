"""The fields of a call, except texts, in the `gen_ai.*` attributes that several conventions share, in all spellings."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.attribute_cache import cached_by_names
from monitor.ingest.conventions.span_call import CallFields
from monitor.ingest.conventions.texts.json_list import read_list
from monitor.ingest.conventions.unread import note_unread

CACHED = (
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.details.cache_read_input_tokens",
    "gen_ai.usage.details.cached_tokens",
)
REASONING = (
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.reasoning_tokens",
    "gen_ai.usage.details.reasoning_tokens",
)
CONVERSATION = ("gen_ai.conversation.id", "session.id")
USER = ("user.id", "enduser.id")
PROMPT = ("driftd.prompt.id", "gen_ai.prompt.name")
VERSION = ("driftd.prompt.version", "gen_ai.prompt.version")
REASONS = "gen_ai.response.finish_reasons"
NO_REASON: Final[tuple[Any, ...]] = (
    None,
    "",
    "[]",
    "[null]",
    '[""]',
    [],
    [None],
    [""],
)  # values that senders write when there is none


FIELDS: Final[tuple[tuple[str, Callable[..., Any], tuple[str, ...]], ...]] = (
    ("response_id", read.text, ("gen_ai.response.id",)),
    ("provider", read.text, ("gen_ai.provider.name", "gen_ai.system")),
    ("request_model", read.text, ("gen_ai.request.model",)),
    ("response_model", read.text, ("gen_ai.response.model",)),
    (
        "system_fingerprint",
        read.text,
        (
            "openai.response.system_fingerprint",
            "gen_ai.openai.response.system_fingerprint",
            "gen_ai.response.system_fingerprint",
        ),
    ),
    ("input_tokens", read.count, ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")),
    ("output_tokens", read.count, ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")),
    ("cached_input_tokens", read.count, CACHED),
    ("reasoning_tokens", read.count, REASONING),
    ("temperature", read.number, ("gen_ai.request.temperature",)),
    ("top_p", read.number, ("gen_ai.request.top_p",)),
    ("max_tokens", read.count, ("gen_ai.request.max_tokens",)),
    ("seed", read.whole, ("gen_ai.request.seed", "gen_ai.openai.request.seed")),
)
_ABSENT: Final[CallFields] = dict.fromkeys(field for field, _, _ in FIELDS)  # type: ignore[assignment]
_fields_in = cached_by_names(
    lambda present: tuple(
        (field, reader, held)
        for field, reader, names in FIELDS
        if (held := tuple(name for name in names if name in present))
    )
)


def shared_fields(own: Mapping[str, Any]) -> CallFields:
    """Return model, id, token and parameter fields. Every field is present; None when it is unknown."""
    return {**_ABSENT, **present_fields(own)}


def present_fields(own: Mapping[str, Any]) -> CallFields:
    """Return the fields of `shared_fields` whose attributes are present."""
    return {field: reader(own, *names) for field, reader, names in _fields_in(own)}  # type: ignore[return-value]


def reason_of(own: Mapping[str, Any]) -> str | None:
    """Return the finish reason of the first choice: from a list, JSON of a list, or comma-separated text."""
    found = own.get(REASONS, own.get("gen_ai.response.finish_reason"))
    reasons = found
    if isinstance(found, str) and found[:1] == "[":
        reasons = list(read_list(found).items)
    elif isinstance(found, str):
        reasons = found.partition(",")[0].strip()
    reason = next(iter(read.texts(reasons)), None)
    if reason is None and found not in NO_REASON:
        note_unread(REASONS, found)
    return reason
