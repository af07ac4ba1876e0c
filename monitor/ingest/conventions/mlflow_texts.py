"""The texts of a call in MLflow spans: the provider's request and answer in JSON, and stream chunks as events."""

from collections.abc import Mapping, Sequence
from typing import Any

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.provider.json_text import JsonRead
from monitor.ingest.conventions.provider.texts import texts_of_answer, texts_of_request
from monitor.ingest.conventions.texts.call_texts import Texts, merged
from monitor.ingest.json_text import read_json
from monitor.ingest.spans import OtlpSpan, SpanEvent

INPUTS = "mlflow.spanInputs"
OUTPUTS = "mlflow.spanOutputs"
CHUNK = "mlflow.chunk.item."  # followed by its number
CHUNK_VALUE = "mlflow.chunk.value"
MAX_DIGITS = 9


def texts_of(request: JsonRead, answer: JsonRead, span: OtlpSpan) -> Texts:
    """Return the texts. The chunks give the answer of an interrupted stream, and tool calls that MLflow lost."""
    request_texts = texts_of_request(request.value)
    answer_texts = texts_of_answer(answer.value)
    if not any(m.content or m.tool_calls for m in answer_texts.outputs):
        answer_texts = texts_of_chunks(span) or answer_texts
    return merged([request_texts, answer_texts, request.state, answer.answer_state])


def texts_of_chunks(span: OtlpSpan) -> Texts | None:
    """Return the first choice joined from OpenAI's chunks; None without chunks."""
    choices = [choice for event in _chunks(span) if (choice := _first_choice(_read(event)))]
    deltas = [delta for choice in choices if isinstance(delta := choice.get("delta"), dict)]
    content = "".join(text for delta in deltas if isinstance(text := delta.get("content"), str))
    calls = _calls(deltas)
    reasons = [reason for choice in choices if isinstance(reason := choice.get("finish_reason"), str)]
    if not content and not calls:
        return None
    message = ChatMessage(role="assistant", content=content, tool_calls=calls)
    return Texts(outputs=(message,), finish_reasons=tuple(reasons[:1]))


def first_chunk(span: OtlpSpan) -> Mapping[str, Any]:
    """Return the first readable chunk, which names the model as every chunk does; empty without chunks."""
    return next((chunk for event in _chunks(span) if (chunk := _read(event))), {})


def _chunks(span: OtlpSpan) -> list[SpanEvent]:
    events = [event for event in span.events if event.name.startswith(CHUNK)]
    return sorted(events, key=lambda event: _number(event.name))


def _read(event: SpanEvent) -> Mapping[str, Any]:
    """Return the chunk; empty when an attribute limit truncated it."""
    value = event.attributes.get(CHUNK_VALUE)
    try:
        chunk = read_json(value, CHUNK_VALUE) if isinstance(value, str) else value
    except MalformedRecord:
        return {}
    return chunk if isinstance(chunk, dict) else {}


def _number(name: str) -> int:
    digits = name.removeprefix(CHUNK)
    return int(digits) if len(digits) <= MAX_DIGITS and digits.isdecimal() else 0


def _first_choice(chunk: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choices = chunk.get("choices")
    found = choices if isinstance(choices, list) else []
    return next((c for c in found if isinstance(c, dict) and c.get("index", 0) == 0), None)


def _calls(deltas: Sequence[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    """Join tool calls: the first chunk of a call has its id and name, the others have more of its arguments."""
    chunks: dict[int, list[Mapping[str, Any]]] = {}
    for delta in deltas:
        listed = delta.get("tool_calls")
        for chunk in listed if isinstance(listed, list) else ():
            if isinstance(chunk, dict) and isinstance(chunk.get("function"), dict):
                chunks.setdefault(index if isinstance(index := chunk.get("index"), int) else 0, []).append(chunk)
    calls = (_call(found) for _, found in sorted(chunks.items()))
    return tuple(call for call in calls if call is not None)


def _call(chunks: list[Mapping[str, Any]]) -> ToolCall | None:
    names = [name for chunk in chunks if isinstance(name := chunk["function"].get("name"), str) and name]
    ids = [found for chunk in chunks if isinstance(found := chunk.get("id"), str)]
    arguments = [text for chunk in chunks if isinstance(text := chunk["function"].get("arguments"), str)]
    return ToolCall(id=next(iter(ids), None), name=names[0], arguments="".join(arguments)) if names else None
