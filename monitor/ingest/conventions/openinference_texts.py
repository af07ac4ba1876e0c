"""The texts of an OpenInference span: messages in numbered attributes, and the raw request and answer.

Attributes such as `llm.input_messages.0.message.content` are read first. `output.value`, the provider's answer in JSON,
has fields that no attribute has: the response id, the model and the finish reason.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.openinference_plan import CallNames, MessageNames, PartNames, Plan, value
from monitor.ingest.conventions.provider.texts import finish_reasons_of_answer, texts_of_answer, texts_of_request
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.conventions.texts.messages import SYSTEM_ROLES, as_text, unique_calls
from monitor.ingest.json_text import read_json, storable_text

REQUEST = "input.value"
PROMPTS = "llm.prompts"  # of a completion: a list of texts
ANSWER = "output.value"
HIDDEN = "__REDACTED__"  # placeholder for a text that the instrumentation hides
ANSWER_KEYS = ("choices", "candidates", "output")
MESSAGE_KEYS = ("role", "tool_calls")
CALL_ATTRIBUTES = (
    "llm.input_messages.0.message.role", "llm.output_messages.0.message.role", "llm.token_count.prompt",
    "llm.token_count.total", PROMPTS,
)  # fmt: skip
REQUEST_KEYS = ("tools", "tool_choice", "functions")
SKIPPED_PARTS = ("reasoning", "thinking", "image")


def texts_of(own: Mapping[str, Any], answer: Any, plan: Plan) -> Texts:
    """Return the messages of the attributes; without any, those of the raw request and answer."""
    if not plan.inputs and not plan.outputs:
        return _raw_texts(own, answer)
    inputs = _messages(own, plan.inputs, "user")
    outputs = _messages(own, plan.outputs, "assistant")
    if not plan.outputs and (raw := answer if _is_answer(answer) else _plain_answer(own)) is not None:
        outputs = list(texts_of_answer(raw).outputs)
    return Texts(
        system=tuple(m.content for m in inputs if m.role in SYSTEM_ROLES and m.content),
        inputs=tuple(m for m in inputs if m.role not in SYSTEM_ROLES),
        outputs=tuple(outputs),
        finish_reasons=_reasons(own, answer),
    )


def answer_of(own: Mapping[str, Any]) -> Any:
    """Return `output.value` decoded; None when it is plain text, hidden, truncated or absent."""
    found = own.get(ANSWER)
    if not isinstance(found, str) or found[:1] not in ("{", "["):
        return None
    try:
        answer = read_json(found, ANSWER)
    except MalformedRecord:
        return None
    single = isinstance(answer, list) and len(answer) == 1 and is_provider_answer(answer[0])
    return answer[0] if single else answer


def is_provider_answer(answer: Any) -> bool:
    """Return whether this is a whole provider answer, not only its messages."""
    return isinstance(answer, Mapping) and any(isinstance(answer.get(key), list) for key in ANSWER_KEYS)


def _is_answer(answer: Any) -> bool:
    """Return whether this is a whole provider answer, or a list of messages."""
    if not isinstance(answer, list):
        return is_provider_answer(answer)
    return bool(answer) and all(isinstance(one, Mapping) and not one.keys().isdisjoint(MESSAGE_KEYS) for one in answer)


def _plain_answer(own: Mapping[str, Any]) -> str | None:
    found = own.get(ANSWER)
    plain = isinstance(found, str) and found not in ("", HIDDEN) and found[:1] not in ("{", "[")
    return found if plain and own.get("output.mime_type") in (None, "text/plain") else None


def is_preparation(own: Mapping[str, Any]) -> bool:
    """Return whether the span only prepared a request with its tools; the call has a span of its own."""
    if any(name in own for name in CALL_ATTRIBUTES):
        return False
    output = answer_of(own)
    has_messages = isinstance(output, Mapping) and isinstance(output.get("messages"), list)
    return has_messages and not output.keys().isdisjoint(REQUEST_KEYS)


def _reasons(own: Mapping[str, Any], answer: Any) -> tuple[str, ...]:
    """Return the finish reasons of the raw answer when the attribute is missing."""
    if own.get("llm.finish_reason") or not isinstance(answer, Mapping):
        return ()
    return finish_reasons_of_answer(answer)


def _raw_texts(own: Mapping[str, Any], answer: Any) -> Texts:
    request = own.get(REQUEST)
    raw_answer = own.get(ANSWER) if answer is None else answer
    if request == HIDDEN and raw_answer == HIDDEN:
        return Texts(hidden=True)
    prompts = read.texts(own.get(PROMPTS))
    request_texts = _as_inputs(prompts) if prompts else _inputs(request)
    answer_texts = Texts() if raw_answer in (None, "", HIDDEN) else texts_of_answer(raw_answer)
    return Texts(
        system=request_texts.system,
        inputs=request_texts.inputs,
        outputs=answer_texts.outputs,
        finish_reasons=answer_texts.finish_reasons,
        cut=request_texts.cut,
    )


def _as_inputs(prompts: Iterable[str]) -> Texts:
    return Texts(inputs=tuple(ChatMessage(role="user", content=storable_text(prompt)) for prompt in prompts))


def _inputs(request: Any) -> Texts:
    if not isinstance(request, str) or request in ("", HIDDEN):
        return Texts()
    if request[:1] not in ("{", "["):
        return _as_inputs([request])
    try:
        return texts_of_request(read_json(request, REQUEST))
    except MalformedRecord:
        return Texts(cut=True)


def _messages(own: Mapping[str, Any], planned: Iterable[MessageNames], role: str) -> list[ChatMessage]:
    """Return the messages that are not empty. A message is empty for example when the model only reasoned.

    `role` is used when a message names none.
    """
    messages = []
    for names in planned:
        content = value(own, names.content)
        texts = _parts(own, names.parts) if content is None or content == HIDDEN else [as_text(content)]
        calls = unique_calls([_call(own, call) for call in names.calls]) if names.calls else ()
        tool_call_id = value(own, names.tool_call_id)
        if not texts and not calls and not (content is None and tool_call_id):
            continue
        named_role = value(own, names.role)
        if named_role == "model":  # Gemini's name
            named_role = "assistant"
        messages.append(
            ChatMessage(
                role=named_role if isinstance(named_role, str) and named_role else role,
                content=storable_text("\n".join(texts)),
                tool_calls=calls,
                tool_call_id=tool_call_id if isinstance(tool_call_id, str) else None,
            )
        )
    return messages


def _parts(own: Mapping[str, Any], parts: Iterable[PartNames]) -> list[str]:
    return [
        as_text(own[part.text])
        for part in parts
        if value(own, part.type) not in SKIPPED_PARTS and own[part.text] is not None
    ]


def _call(own: Mapping[str, Any], names: CallNames) -> ToolCall:
    id_, arguments = value(own, names.id), value(own, names.arguments)
    return ToolCall(
        id=id_ if isinstance(id_, str) else None,
        name=as_text(own[names.name]),
        arguments="" if arguments is None else as_text(arguments),
    )
