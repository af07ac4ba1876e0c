"""The texts of an OpenInference span: messages flattened into numbered attributes, and the raw request and answer.

`llm.input_messages.0.message.content` and the like are read first. `output.value`, the provider's answer in JSON, tells
what no attribute does: the response's id, its model and its end.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.provider.texts import texts_of_answer, texts_of_request
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.conventions.texts.messages import SYSTEM_ROLES, as_text, each_once
from monitor.ingest.json_text import read_json, storable_text

INPUTS = "llm.input_messages."
OUTPUTS = "llm.output_messages."
REQUEST = "input.value"
PROMPTS = "llm.prompts"  # of a completion: a list of texts
ANSWER = "output.value"
HIDDEN = "__REDACTED__"  # what stands for a text that the instrumentation was told to hide
WHOLE = ("choices", "candidates", "output")
OF_A_MESSAGE = ("role", "tool_calls")
TOLD_BY_A_CALL = (
    "llm.input_messages.0.message.role", "llm.output_messages.0.message.role", "llm.token_count.prompt",
    "llm.token_count.total", PROMPTS,
)  # fmt: skip
OF_A_REQUEST = ("tools", "tool_choice", "functions")
SILENT = ("reasoning", "thinking", "image")

Fields = dict[str, Any]  # of one message: what follows its number


def texts_of(own: Mapping[str, Any], answer: Any) -> Texts:
    """Messages from the attributes; without any, those of the raw request and answer."""
    asked, said = _numbered(own)
    if not asked and not said:
        return _raw_texts(own, answer)
    inputs = [m for n in sorted(asked) for m in _message(asked[n], "user")]
    outputs = [m for n in sorted(said) for m in _message(said[n], "assistant")]
    if not said and (raw := answer if _is_an_answer(answer) else _plain_answer(own)) is not None:
        outputs = list(texts_of_answer(raw).outputs)
    return Texts(
        system=tuple(m.content for m in inputs if m.role in SYSTEM_ROLES and m.content),
        inputs=tuple(m for m in inputs if m.role not in SYSTEM_ROLES),
        outputs=tuple(outputs),
        finish_reasons=_reasons(own, answer),
    )


def answer_of(own: Mapping[str, Any]) -> Any:
    """`output.value` as JSON; None when it is a plain text, hidden, cut off or absent."""
    found = own.get(ANSWER)
    if not isinstance(found, str) or found[:1] not in ("{", "["):
        return None
    try:
        answer = read_json(found, ANSWER)
    except MalformedRecord:
        return None
    alone = isinstance(answer, list) and len(answer) == 1 and is_of_a_provider(answer[0])
    return answer[0] if alone else answer


def is_of_a_provider(answer: Any) -> bool:
    """A whole answer, as against its messages alone."""
    return isinstance(answer, Mapping) and any(isinstance(answer.get(key), list) for key in WHOLE)


def _is_an_answer(answer: Any) -> bool:
    """A provider's whole answer, or messages."""
    if not isinstance(answer, list):
        return is_of_a_provider(answer)
    return bool(answer) and all(isinstance(one, Mapping) and not one.keys().isdisjoint(OF_A_MESSAGE) for one in answer)


def _plain_answer(own: Mapping[str, Any]) -> str | None:
    found = own.get(ANSWER)
    plain = isinstance(found, str) and found not in ("", HIDDEN) and found[:1] not in ("{", "[")
    return found if plain and own.get("output.mime_type") in (None, "text/plain") else None


def is_preparation(own: Mapping[str, Any]) -> bool:
    """What the span gives is a request with its tools: the call it was prepared for has a span of its own."""
    if any(name in own for name in TOLD_BY_A_CALL):
        return False
    given = answer_of(own)
    asks = isinstance(given, Mapping) and isinstance(given.get("messages"), list)
    return asks and not given.keys().isdisjoint(OF_A_REQUEST)


def _reasons(own: Mapping[str, Any], answer: Any) -> tuple[str, ...]:
    """Looked for in the raw answer where the attribute is missing."""
    if own.get("llm.finish_reason") or not isinstance(answer, Mapping):
        return ()
    return texts_of_answer(answer).finish_reasons


def _raw_texts(own: Mapping[str, Any], answer: Any) -> Texts:
    request = own.get(REQUEST)
    said = own.get(ANSWER) if answer is None else answer
    if request == HIDDEN and said == HIDDEN:
        return Texts(hidden=True)
    prompts = read.texts(own.get(PROMPTS))
    asked = _as_inputs(prompts) if prompts else _inputs(request)
    told = Texts() if said in (None, "", HIDDEN) else texts_of_answer(said)
    return Texts(
        system=asked.system,
        inputs=asked.inputs,
        outputs=told.outputs,
        finish_reasons=told.finish_reasons,
        cut=asked.cut,
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
    """The fields of each input and output message by its number, in one pass."""
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
    """None when nothing was said: what a model only thought is no message of it."""
    content = fields.get("content")
    texts = list(_parts(fields)) if content in (None, HIDDEN) else [as_text(content)]
    calls = each_once(list(_calls(fields)))
    result_of = fields.get("tool_call_id")
    told_role = "assistant" if fields.get("role") == "model" else fields.get("role")  # the word of Gemini
    if not texts and not calls and not (content is None and result_of):
        return
    yield ChatMessage(
        role=told_role if isinstance(told_role, str) and told_role else role,
        content=storable_text("\n".join(texts)),
        tool_calls=calls,
        tool_call_id=result_of if isinstance(result_of, str) else None,
    )


def _parts(fields: Fields) -> Iterator[str]:
    for field in sorted((f for f in fields if f.endswith("message_content.text")), key=_place):
        kind = fields.get(field[: -len("text")] + "type")
        if kind not in SILENT and fields[field] is not None:
            yield as_text(fields[field])


def _calls(fields: Fields) -> Iterator[ToolCall]:
    """`tool_calls.0.tool_call.function.name`, or the one `function_call_name` of old."""
    for field in sorted((f for f in fields if f.endswith("tool_call.function.name")), key=_place):
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


def _place(field: str) -> int:
    """`contents.10.…` after `contents.9.…`."""
    number = field.split(".", 2)[1]
    return int(number) if number.isdecimal() and len(number) < 6 else 0
