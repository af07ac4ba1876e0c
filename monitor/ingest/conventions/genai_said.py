"""What the `gen_ai.*` names that dialects keep say of a call besides its texts, in any of their spellings."""

from collections.abc import Mapping
from typing import Any

from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.span_call import Said
from monitor.ingest.json_list import read_list

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


def said_by(own: Mapping[str, Any]) -> Said:
    """Models, ids, token counts and parameters."""
    return Said(
        response_id=read.text(own, "gen_ai.response.id"),
        provider=read.text(own, "gen_ai.provider.name", "gen_ai.system"),
        request_model=read.text(own, "gen_ai.request.model"),
        response_model=read.text(own, "gen_ai.response.model"),
        system_fingerprint=read.text(
            own,
            "openai.response.system_fingerprint",
            "gen_ai.openai.response.system_fingerprint",
            "gen_ai.response.system_fingerprint",
        ),
        input_tokens=read.count(own, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
        output_tokens=read.count(own, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        cached_input_tokens=read.count(own, *CACHED),
        reasoning_tokens=read.count(own, *REASONING),
        temperature=read.number(own, "gen_ai.request.temperature"),
        top_p=read.number(own, "gen_ai.request.top_p"),
        max_tokens=read.count(own, "gen_ai.request.max_tokens"),
        seed=read.whole(own, "gen_ai.request.seed", "gen_ai.openai.request.seed"),
    )


def reason_of(own: Mapping[str, Any]) -> str | None:
    """Why the first choice ended: the attribute is a list, JSON of one, or texts with commas between them."""
    found = own.get(REASONS, own.get("gen_ai.response.finish_reason"))
    if isinstance(found, str) and found[:1] == "[":
        found = list(read_list(found, REASONS).items)
    elif isinstance(found, str):
        found = found.partition(",")[0].strip()
    return next(iter(read.texts(found)), None)
