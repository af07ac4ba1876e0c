"""Which attributes of a span stay with the interaction: evidence of what served it, never its texts."""

import json
from typing import Any

from monitor.ingest.conventions.base import CallContext
from monitor.ingest.json_text import storable
from monitor.ingest.otlp_records import OtlpSpan

MAX_TEXT = 2000  # characters; tool definitions and stack traces can be very long
OF_RESOURCE = ("service.name", "service.version", "deployment.environment.name", "vcs.ref.head.revision")
TEXTS = (
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.prompt",  # also with a number: flattened messages of other conventions
    "gen_ai.completion",
    "input.value",
    "output.value",
    "llm.input_messages",
    "llm.output_messages",
)
HAVE_A_FIELD = frozenset(
    [
        "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.system", "gen_ai.request.model",
        "gen_ai.response.model", "gen_ai.response.id", "gen_ai.response.finish_reasons",
        "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
        "gen_ai.request.temperature", "gen_ai.request.top_p", "gen_ai.request.max_tokens", "gen_ai.request.seed",
        "gen_ai.conversation.id", "gen_ai.prompt.name", "gen_ai.prompt.version", "openai.response.system_fingerprint",
        "gen_ai.openai.response.system_fingerprint", "error.type",
    ]
)  # fmt: skip


def attributes_worth_keeping(span: OtlpSpan, context: CallContext) -> dict[str, Any]:
    """The span's own without texts and fields, what the application set around it, and the release it belongs to."""
    around = {k: v for k, v in context.inherited.items() if _set_by_application(k, context)}
    own = {k: v for k, v in span.attributes.items() if k not in HAVE_A_FIELD and not _is_text(k)}
    release = {k: span.resource[k] for k in OF_RESOURCE if k in span.resource}
    kept = storable({**release, **around, **own})
    return {name: _bounded(value) for name, value in kept.items()}


def _set_by_application(name: str, context: CallContext) -> bool:
    return name.startswith("driftd.") or name in context.kept_from_ancestors


def _is_text(name: str) -> bool:
    return name.startswith(TEXTS) and name not in HAVE_A_FIELD


def _bounded(value: Any) -> Any:
    """Anything longer than MAX_TEXT becomes the beginning of its text."""
    if isinstance(value, int | float | bool) or value is None:
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:MAX_TEXT] + "…" if len(text) > MAX_TEXT else value
