"""The texts of an OpenInference span: messages in numbered attributes, and the raw request and answer.

Attributes such as `llm.input_messages.0.message.content` are read first. `output.value`, the provider's answer in JSON,
has fields that no attribute has: the response id, the model and the finish reason.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.provider.texts import texts_of_answer, texts_of_request
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.conventions.texts.messages import SYSTEM_ROLES, as_text, unique_calls
from monitor.ingest.json_text import read_json, storable_text

INPUTS = "llm.input_messages."
OUTPUTS = "llm.output_messages."
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

Fields = dict[str, Any]  # of one message: attribute names after its number


def texts_of(own: Mapping[str, Any], answer: Any) -> Texts:
    """Return the messages of the attributes; without any, those of the raw request and answer."""
    input_fields, output_fields = _numbered(own)
    if not input_fields and not output_fields:
        return _raw_texts(own, answer)
    inputs = [m for n in sorted(input_fields) for m in _message(input_fields[n], "user")]
    outputs = [m for n in sorted(output_fields) for m in _message(output_fields[n], "assistant")]
    if not output_fields and (raw := answer if _is_answer(answer) else _plain_answer(own)) is not None:
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
    return texts_of_answer(answer).finish_reasons


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


def _numbered(own: Mapping[str, Any]) -> tuple[dict[int, Fields], dict[int, Fields]]:
    """Return the fields of each input and output message by number, in one pass."""
    inputs: dict[int, Fields] = {}
    outputs: dict[int, Fields] = {}
    for name, value in own.items():
        if name.startswith(INPUTS):
            found, rest = inputs, name[len(INPUTS) :]
        elif name.startswith(OUTPUTS):
            found, rest = outputs, name[len(OUTPUTS) :]
        else:
            continue
        number, _, field = rest.partition(".message.")
        if field and number.isdecimal() and len(number) < 6:
            found.setdefault(int(number), {})[field] = value
    return inputs, outputs


def _message(fields: Fields, role: str) -> Iterator[ChatMessage]:
    """Yield the message; nothing when it is empty, for example when the model only reasoned."""
    content = fields.get("content")
    texts = list(_parts(fields)) if content in (None, HIDDEN) else [as_text(content)]
    calls = unique_calls(list(_calls(fields)))
    tool_call_id = fields.get("tool_call_id")
    named_role = "assistant" if fields.get("role") == "model" else fields.get("role")  # Gemini's role name
    if not texts and not calls and not (content is None and tool_call_id):
        return
    yield ChatMessage(
        role=named_role if isinstance(named_role, str) and named_role else role,
        content=storable_text("\n".join(texts)),
        tool_calls=calls,
        tool_call_id=tool_call_id if isinstance(tool_call_id, str) else None,
    )


def _parts(fields: Fields) -> Iterator[str]:
    for field in sorted((f for f in fields if f.endswith("message_content.text")), key=_index):
        kind = fields.get(field[: -len("text")] + "type")
        if kind not in SKIPPED_PARTS and fields[field] is not None:
            yield as_text(fields[field])


def _calls(fields: Fields) -> Iterator[ToolCall]:
    """Yield tool calls from `tool_calls.0.tool_call.function.name`, or the old `function_call_name`."""
    for field in sorted((f for f in fields if f.endswith("tool_call.function.name")), key=_index):
        before = field[: -len("function.name")]
        yield _call(fields.get(f"{before}id"), fields[field], fields.get(f"{before}function.arguments"))
    if "function_call_name" in fields:
        yield _call(None, fields["function_call_name"], fields.get("function_call_arguments_json"))


def _call(id_: Any, name: Any, arguments: Any) -> ToolCall:
    return ToolCall(
        id=id_ if isinstance(id_, str) else None,
        name=as_text(name),
        arguments="" if arguments is None else as_text(arguments),
    )


def _index(field: str) -> int:
    """Return the number in the name, so that `contents.10.…` sorts after `contents.9.…`."""
    number = field.split(".", 2)[1]
    return int(number) if number.isdecimal() and len(number) < 6 else 0
