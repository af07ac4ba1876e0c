"""The `gen_ai.*` attributes that have a field of their own, and the resource attributes that identify the release."""

MAX_TEXT = 2000  # characters; tool definitions and stack traces can be very long
RESOURCE_ATTRIBUTES = ("service.name", "service.version", "deployment.environment.name", "vcs.ref.head.revision")
MAPPED_ATTRIBUTES = frozenset(
    [
        "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.system", "gen_ai.request.model",
        "gen_ai.response.model", "gen_ai.response.id", "gen_ai.response.finish_reasons",
        "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
        "gen_ai.request.temperature", "gen_ai.request.top_p", "gen_ai.request.max_tokens", "gen_ai.request.seed",
        "gen_ai.conversation.id", "gen_ai.prompt.name", "gen_ai.prompt.version", "openai.response.system_fingerprint",
        "gen_ai.openai.response.system_fingerprint", "error.type", "anthropic.message.stop_reason",
        "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.response.time_to_first_chunk", "gen_ai.client.operation.time_to_first_chunk",
    ]
)  # fmt: skip
