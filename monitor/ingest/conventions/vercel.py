"""Vercel's AI SDK (`ai.*`), versions 4 to 6: `ai.generateText.doGenerate` is the call, `ai.generateText` its parent."""

from collections.abc import Mapping
from typing import Any

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions import vercel_texts
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.genai.attributes import MAPPED_ATTRIBUTES
from monitor.ingest.conventions.kept_attributes import attribute_filter, kept_attributes
from monitor.ingest.conventions.roles import CALL, STEP, TOOL, Role
from monitor.ingest.conventions.span_call import NO_FILL_PREFIXES, CallFields, first_named, interaction_of
from monitor.ingest.conventions.without_events import WithoutEvents
from monitor.ingest.spans import OtlpSpan

OPERATION = "ai.operationId"
REASON = "ai.response.finishReason"
UNKNOWN = "unknown"
LEAVES = frozenset(
    f"ai.{function}"
    for function in (
        "generateText.doGenerate",
        "streamText.doStream",
        "generateObject.doGenerate",
        "streamObject.doStream",
    )
)
TOOLS = frozenset(["ai.toolCall", "ai.rerank"])
METADATA = "ai.telemetry.metadata."  # metadata that the application sets
CONVERSATION = (
    *(f"{METADATA}{name}" for name in ("conversationId", "conversation.id", "chatId", "threadId")),
    *(f"{METADATA}{name}" for name in ("sessionId", "session.id", "langfuseSessionId")),
    "gen_ai.conversation.id",
    "session.id",
)
USER = (*(f"{METADATA}{name}" for name in ("userId", "user.id", "langfuseUserId")), "user.id", "enduser.id")
PROMPT = tuple(f"{METADATA}{name}" for name in ("promptId", "promptName", "prompt.id", "prompt.name"))
VERSION = tuple(f"{METADATA}{name}" for name in ("promptVersion", "prompt.version"))
DROPPED = (
    "ai.prompt", "ai.response.text", "ai.response.object", "ai.response.toolCalls", "ai.response.reasoning",
    "ai.response.files", "ai.request.headers", "ai.usage.", "ai.schema", "operation.name", "resource.name",
)  # fmt: skip
FIELDS = MAPPED_ATTRIBUTES | {
    OPERATION, "ai.model.id", "ai.model.provider", "ai.response.id", "ai.response.model", REASON,
    "ai.response.msToFirstChunk", "ai.settings.maxOutputTokens", "ai.settings.maxTokens", "ai.settings.temperature",
    "ai.settings.topP", "ai.settings.seed", *CONVERSATION, *USER,
}  # fmt: skip
KEPT = attribute_filter(DROPPED, FIELDS)


class Vercel(WithoutEvents):
    """See `Convention`."""

    name = "vercel-ai"
    markers = frozenset([OPERATION])
    fill_prefixes = NO_FILL_PREFIXES
    authoritative_fields = frozenset(["finish_reason", "provider"])

    def role_of(self, span: OtlpSpan) -> Role | None:
        """An SDK function is a step above its requests, each of which is a `do…` span."""
        operation = span.attributes.get(OPERATION)
        if not isinstance(operation, str):
            return None
        if operation in LEAVES:
            return CALL
        if operation in TOOLS or operation.startswith("ai.embed"):
            return TOOL
        return STEP if operation.startswith("ai.") and ".do" not in operation else None

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, inherited = span.attributes, context.inherited
        streamed = str(own[OPERATION]).endswith("doStream")
        return interaction_of(
            span,
            context,
            self.name,
            vercel_texts.texts_of(own),
            reason=_reason(own),
            streamed=streamed,
            reason_expected=streamed and own.get(REASON) == UNKNOWN,
            conversation=first_named(own, inherited, CONVERSATION),
            user=first_named(own, inherited, USER),
            kept=kept_attributes(span, context, KEPT),
            fields=CallFields(
                response_id=read.text(own, "ai.response.id", "gen_ai.response.id"),
                provider=_provider(own),
                request_model=read.text(own, "ai.model.id", "gen_ai.request.model"),
                response_model=read.text(own, "ai.response.model", "gen_ai.response.model"),
                prompt_id=first_named(own, inherited, ("driftd.prompt.id", *PROMPT)).value,
                prompt_version=first_named(own, inherited, ("driftd.prompt.version", *VERSION)).value,
                input_tokens=read.count(
                    own, "ai.usage.inputTokens", "ai.usage.promptTokens", "gen_ai.usage.input_tokens"
                ),
                output_tokens=read.count(
                    own, "ai.usage.outputTokens", "ai.usage.completionTokens", "gen_ai.usage.output_tokens"
                ),
                cached_input_tokens=read.count(
                    own, "ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"
                ),
                reasoning_tokens=read.count(
                    own, "ai.usage.reasoningTokens", "ai.usage.outputTokenDetails.reasoningTokens"
                ),
                ttft_ms=read.number(own, "ai.response.msToFirstChunk", least=0.0),
                temperature=read.number(own, "ai.settings.temperature", "gen_ai.request.temperature"),
                top_p=read.number(own, "ai.settings.topP", "gen_ai.request.top_p"),
                max_tokens=read.count(
                    own, "ai.settings.maxOutputTokens", "ai.settings.maxTokens", "gen_ai.request.max_tokens"
                ),
                seed=read.whole(own, "ai.settings.seed"),
            ),
        )


def _reason(own: Mapping[str, Any]) -> str | None:
    """Return the finish reason; the SDK writes `unknown` when there is none."""
    reason = read.text(own, REASON)
    return None if reason == UNKNOWN else reason


def _provider(own: Mapping[str, Any]) -> str | None:
    """Return the provider: `openai.chat` and `openai.responses` are the same one."""
    name = read.text(own, "ai.model.provider", "gen_ai.system")
    return name.partition(".")[0] if name else None
