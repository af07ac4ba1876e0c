"""A number too large for its column rejects only its record, in every convention."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.pipeline import ingest_pipeline, otlp_app, served
from tests.ingest.test_limits_everywhere import message_attribute, span, text

HUGE = 10**30
USAGE = {"prompt_tokens": 2**63 - 1, "cache_read_input_tokens": 2**63 - 1, "input_tokens": 2**63 - 1}
LANGFUSE = text("langfuse.observation.type", "generation")
BAD: dict[str, list[dict[str, Any]]] = {
    "langfuse seed": [LANGFUSE, text("langfuse.observation.model.parameters", json.dumps({"seed": HUGE}))],
    "langfuse temperature": [LANGFUSE, text("langfuse.observation.model.parameters", f'{{"temperature":{10**400}}}')],
    "langfuse usage": [LANGFUSE, text("langfuse.observation.usage_details", json.dumps({"input": HUGE}))],
    "litellm": [
        text("litellm.call_id", "c"),
        text("gen_ai.usage.input_tokens", "1"),
        text("metadata.usage_object", f"{{'cached_tokens': {HUGE}}}"),
    ],
    "langsmith": [
        text("langsmith.span.kind", "llm"),
        text("gen_ai.usage.input_token_details", f"{{'cache_read': {'9' * 5000}}}"),
    ],
    "mlflow": [text("mlflow.spanType", "LLM"), text("mlflow.chat.tokenUsage", json.dumps(USAGE))],
    "mlflow, sum": [
        text("mlflow.spanType", "LLM"),
        text("mlflow.chat.tokenUsage", json.dumps({k: v for k, v in USAGE.items() if k != "prompt_tokens"})),
    ],
    "openinference": [
        text("openinference.span.kind", "LLM"),
        text(f"llm.input_messages.0.message.contents.{'9' * 5000}.message_content.text", "x"),
        text(f"annotations.{'9' * 5000}.annotation.name", "x"),
        text("annotations.0.annotation.name", "x"),
    ],
    "traceloop": [text(f"gen_ai.prompt.{'9' * 5000}.content", "x"), text("gen_ai.prompt.0.role", "user")],
}


@pytest.mark.parametrize("name", BAD)
def test_only_the_record_with_a_number_too_large_is_rejected(name: str, tmp_path: Path) -> None:
    spans = [*(span(f"good {i}", message_attribute("fine")) for i in range(9)), span("bad", *BAD[name])]
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    with ingest_pipeline(tmp_path) as pipeline:
        with served(otlp_app(pipeline)) as client:
            answer = client.post("/v1/traces", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 200, answer.text
        assert len(pipeline.rows()) + len(pipeline.letters()) == 10
        assert sum(bytes.fromhex(row.span_id or "").startswith(b"good") for row in pipeline.rows()) == 9
