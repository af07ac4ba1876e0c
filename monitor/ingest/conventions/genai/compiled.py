"""The compiled reader of GenAI spans: it reads the ordinary call, with the decisions by attribute names made once.

An ordinary call has a finish reason, and no error and no events. For any other span the reader returns None, and
`GenAI.read_call` reads it. Both return the same call.
"""

from collections.abc import Mapping
from typing import Any

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions.base import CallContext, CompiledReader
from monitor.ingest.conventions.compiled_fields import fields_reader, named_reader
from monitor.ingest.conventions.finish_reasons import finish_reason
from monitor.ingest.conventions.genai import convention as general
from monitor.ingest.conventions.genai.shared_fields import (
    CONVERSATION,
    FIELDS,
    PROMPT,
    REASONS,
    USER,
    VERSION,
    reason_of,
)
from monitor.ingest.conventions.genai.texts import texts_of_attributes
from monitor.ingest.conventions.kept_attributes import kept_by_name
from monitor.ingest.conventions.response_metadata import has_answers
from monitor.ingest.conventions.span_call import call_with, status_of_reason
from monitor.ingest.spans import OtlpSpan

ERROR = "error.type"
MOST_MS = 1e12  # of a time to the first token that needs no check of its range


def compiled_reader(names: tuple[str, ...]) -> CompiledReader | None:
    """Return the reader of spans with these attribute names, in order; None when only the general one reads them."""
    present = dict.fromkeys(names)
    if ERROR in present or has_answers(present):
        return None
    read_fields = fields_reader(present, FIELDS)
    conversation_of, user_of = named_reader(present, CONVERSATION), named_reader(present, USER)
    prompt_of, version_of = named_reader(present, PROMPT), named_reader(present, VERSION)
    has_prompt = not general.PROMPTS.isdisjoint(present)
    has_first_token = any(name in present for name in general.FIRST_TOKEN)
    has_tools = general.TOOLS in present
    kept_names = general.KEPT(present)

    def read_call(span: OtlpSpan, context: CallContext) -> Interaction | None:
        if span.failed or span.events:
            return None
        own, inherited = span.attributes, context.inherited
        texts = texts_of_attributes(own)
        reason = _reason(own) or general.stop_reason(own) or texts.finish_reason
        if reason is None:
            return None
        fields = read_fields(own)
        if has_prompt or inherited:
            fields["prompt_id"] = prompt_of(own, inherited).value
            fields["prompt_version"] = version_of(own, inherited).value
        if has_first_token and (ttft_ms := general.ttft_ms_of(span)) is not None:
            if ttft_ms > MOST_MS:
                return None
            fields["ttft_ms"] = ttft_ms
        ended = finish_reason(reason)
        return call_with(
            fields,
            span,
            context,
            general.GenAI.name,
            texts,
            reason=reason,
            ended=ended,
            status=status_of_reason(reason, ended),
            conversation=conversation_of(own, inherited),
            user=user_of(own, inherited),
            kept=general.kept_with_tools(span, context) if has_tools else kept_by_name(span, context, kept_names),
        )

    return read_call


def _reason(own: Mapping[str, Any]) -> str | None:
    found = own.get(REASONS)
    if type(found) is list and found and type(reason := found[0]) is str and reason:  # nearly every value
        return reason
    return reason_of(own)
