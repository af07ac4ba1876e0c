"""LangSmith's SDK with its OpenTelemetry export: `langsmith.*`, and inputs and outputs of a run as JSON attributes.

The names are those of langsmith-sdk, python/langsmith/_internal/otel/_otel_exporter.py: `gen_ai.prompt` has all inputs
of a run, `gen_ai.completion` all outputs. An error is the message of an exception with a generic type.
"""

import re
from collections.abc import Mapping
from typing import Any

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.genai import indexed_texts
from monitor.ingest.conventions.genai import shared_fields as genai_fields
from monitor.ingest.conventions.genai import texts as genai_texts
from monitor.ingest.conventions.genai.attributes import MAPPED_ATTRIBUTES
from monitor.ingest.conventions.kept_attributes import attribute_filter, kept_attributes
from monitor.ingest.conventions.provider.json_text import JsonRead, json_of, read_provider_json
from monitor.ingest.conventions.provider.texts import has_finish_reason_field, texts_of_answer, texts_of_request
from monitor.ingest.conventions.provider.usage import fields_of_usage, usage_of_answer
from monitor.ingest.conventions.response_metadata import metadata_of_answer
from monitor.ingest.conventions.roles import Role, role_of_kind
from monitor.ingest.conventions.span_call import NO_FILL_PREFIXES, CallFields, first_named, interaction_of, ms_to_event
from monitor.ingest.conventions.texts.call_texts import Texts, merged
from monitor.ingest.spans import OtlpLog, OtlpSpan

KIND = "langsmith.span.kind"
RUN_STARTED = "langsmith.run.begun"  # driftd's own event: the input of a run that was posted before it ended
STREAMING = "langsmith.request.streaming"
FIRST_CHUNK_EVENT = "new_token"  # event of a run, one for each chunk of a stream
CALLS = frozenset(["llm"])
INPUTS, OUTPUTS = "gen_ai.prompt", "gen_ai.completion"
METADATA = "langsmith.metadata."
USAGE = "langsmith.usage_metadata"
DETAILS = {  # patterns in the text of a Python dict
    "cached_input_tokens": ("gen_ai.usage.input_token_details", re.compile(r"'cache_read': (\d{1,18})(?!\d)")),
    "reasoning_tokens": ("gen_ai.usage.output_token_details", re.compile(r"'reasoning': (\d{1,18})(?!\d)")),
}
CONVERSATION = (
    *(f"{METADATA}{name}" for name in ("conversation_id", "thread_id", "session_id")),
    *genai_fields.CONVERSATION,
)
USER = (f"{METADATA}user_id", *genai_fields.USER)
PROMPT = (*genai_fields.PROMPT, f"{METADATA}lc_hub_repo", f"{METADATA}prompt_id", f"{METADATA}prompt_name")
VERSION = (*genai_fields.VERSION, f"{METADATA}lc_hub_commit_hash", f"{METADATA}prompt_version")
DROPPED = ("gen_ai.serialized.", "gen_ai.request.extra_", "langsmith.request.headers", "langsmith.span.runtime")
FIELDS = MAPPED_ATTRIBUTES | {
    *CONVERSATION, *USER, KIND, USAGE, "gen_ai.response.system_fingerprint", "langsmith.span.dotted_order",
    *(name for name, _ in DETAILS.values()),
}  # fmt: skip
KEPT = attribute_filter(DROPPED, FIELDS)


class LangSmith:
    """See `Convention`."""

    name = "langsmith"
    markers = frozenset([KIND])
    fill_prefixes = NO_FILL_PREFIXES
    authoritative_fields = frozenset(["provider"])

    def role_of(self, span: OtlpSpan) -> Role | None:
        """Chains, tools, retrievers and prompts are kinds of their own."""
        return role_of_kind(span.attributes.get(KIND), CALLS)

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, inherited = span.attributes, context.inherited
        request, answer = read_provider_json(own.get(INPUTS), INPUTS), read_provider_json(own.get(OUTPUTS), OUTPUTS)
        texts = _texts(own, request, answer)
        fields = _fields(own, inherited, answer.value if isinstance(answer.value, Mapping) else {})
        fields["ttft_ms"] = ms_to_event(span, FIRST_CHUNK_EVENT)
        if fields["max_tokens"] is None and isinstance(request.value, Mapping):
            fields["max_tokens"] = read.count(request.value, "max_output_tokens", "max_completion_tokens")
        return interaction_of(
            span,
            context,
            self.name,
            texts,
            reason=genai_fields.reason_of(own) or texts.finish_reason,
            streamed=read.flag(own, STREAMING),
            reason_expected=has_finish_reason_field(answer.value),
            conversation=first_named(own, inherited, CONVERSATION),
            user=first_named(own, inherited, USER),
            kept=kept_attributes(span, context, KEPT),
            fields=fields,
        )

    def claims_log(self, record: OtlpLog) -> bool:
        return record.event_name == RUN_STARTED

    def read_texts(self, record: OtlpLog) -> Texts:
        request = read_provider_json(record.attributes.get(INPUTS), INPUTS)
        return merged([texts_of_request(request.value), request.state])


def _texts(own: Mapping[str, Any], request: JsonRead, answer: JsonRead) -> Texts:
    """Read the GenAI lists or numbered messages when the application set the run kind itself."""
    if INPUTS in own or OUTPUTS in own:
        request_texts, answer_texts = texts_of_request(request.value), texts_of_answer(answer.value)
        return merged([request_texts, answer_texts, request.state, answer.answer_state])
    lists = genai_texts.texts_of_attributes(own)
    return lists if lists.found else indexed_texts.texts_of(own)


def _fields(own: Mapping[str, Any], inherited: Mapping[str, Any], answer: Mapping[str, Any]) -> CallFields:
    fields = genai_fields.shared_fields(own)
    fields["provider"] = read.text(own, f"{METADATA}ls_provider") or fields["provider"]
    fields["request_model"] = fields["request_model"] or read.text(own, f"{METADATA}ls_model_name")
    metadata = metadata_of_answer(answer)
    fields["response_model"] = fields["response_model"] or metadata.model
    fields["system_fingerprint"] = fields["system_fingerprint"] or metadata.fingerprint
    fields["temperature"] = read.number(own, "gen_ai.request.temperature", f"{METADATA}ls_temperature")
    parameters = json_of(own, f"{METADATA}ls_invocation_params")
    if isinstance(parameters, Mapping):
        fields["top_p"] = fields["top_p"] if fields["top_p"] is not None else read.number(parameters, "top_p")
        fields["seed"] = fields["seed"] if fields["seed"] is not None else read.whole(parameters, "seed")
    fields["max_tokens"] = read.count(own, "gen_ai.request.max_tokens", f"{METADATA}ls_max_tokens")
    fields["prompt_id"] = first_named(own, inherited, PROMPT).value
    fields["prompt_version"] = first_named(own, inherited, VERSION).value
    usage = json_of(own, USAGE)
    counted = fields_of_usage(usage) if isinstance(usage, Mapping) else usage_of_answer(answer)
    fields.update({key: count for key, count in counted.items() if count is not None})  # type: ignore[typeddict-item]
    if isinstance(usage, Mapping):
        fields["cost_usd"] = read.number(usage, "total_cost", least=0.0)
    if fields["cached_input_tokens"] is None:
        fields["cached_input_tokens"] = _detail(own, "cached_input_tokens")
    if fields["reasoning_tokens"] is None:
        fields["reasoning_tokens"] = _detail(own, "reasoning_tokens")
    return fields


def _detail(own: Mapping[str, Any], which: str) -> int | None:
    name, pattern = DETAILS[which]
    details = own.get(name)
    found = pattern.search(details) if isinstance(details, str) else None
    return int(found.group(1)) if found else None
