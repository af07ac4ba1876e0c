"""Which attributes of an OpenInference span form which message: decided by their names, once for each set of names."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

INPUTS: Final = "llm.input_messages."
OUTPUTS: Final = "llm.output_messages."

Fields = dict[str, str]  # of one message: the part of the name after its number -> the attribute


class CallNames(NamedTuple):
    """The attributes of one tool call. None where the span has no such attribute."""

    id: str | None
    name: str
    arguments: str | None


class PartNames(NamedTuple):
    """The attributes of one part of the content."""

    text: str
    type: str | None


class MessageNames(NamedTuple):
    """The attributes of one message. None where the span has no such attribute."""

    role: str | None
    content: str | None
    tool_call_id: str | None
    parts: tuple[PartNames, ...]
    calls: tuple[CallNames, ...]


class Plan(NamedTuple):
    """The messages of a span, in the order of their numbers."""

    inputs: tuple[MessageNames, ...]
    outputs: tuple[MessageNames, ...]


def plan_of(names: Iterable[str]) -> Plan:
    """Return the messages of spans with these attribute names."""
    return Plan(inputs=_messages(names, INPUTS), outputs=_messages(names, OUTPUTS))


def _messages(names: Iterable[str], prefix: str) -> tuple[MessageNames, ...]:
    found: dict[int, Fields] = {}
    for name in names:
        if name.startswith(prefix):
            number, _, field = name[len(prefix) :].partition(".message.")
            if field and number.isdecimal() and len(number) < 6:
                found.setdefault(int(number), {})[field] = name
    return tuple(_message_names(found[number]) for number in sorted(found))


def _message_names(fields: Fields) -> MessageNames:
    return MessageNames(
        role=fields.get("role"),
        content=fields.get("content"),
        tool_call_id=fields.get("tool_call_id"),
        parts=tuple(
            PartNames(text=fields[field], type=fields.get(field[: -len("text")] + "type"))
            for field in _sorted_by_index(fields, "message_content.text")
        ),
        calls=tuple(_calls(fields)),
    )


def _calls(fields: Fields) -> Iterable[CallNames]:
    """Yield tool calls from `tool_calls.0.tool_call.function.name`, or the old `function_call_name`."""
    for field in _sorted_by_index(fields, "tool_call.function.name"):
        before = field[: -len("function.name")]
        yield CallNames(
            id=fields.get(f"{before}id"), name=fields[field], arguments=fields.get(f"{before}function.arguments")
        )
    if (name := fields.get("function_call_name")) is not None:
        yield CallNames(id=None, name=name, arguments=fields.get("function_call_arguments_json"))


def _sorted_by_index(fields: Fields, ending: str) -> list[str]:
    return sorted((field for field in fields if field.endswith(ending)), key=_index)


def _index(field: str) -> int:
    """Return the number in the name, so that `contents.10.…` sorts after `contents.9.…`."""
    number = field.split(".", 2)[1]
    return int(number) if number.isdecimal() and len(number) < 6 else 0


def value(own: Mapping[str, Any], name: str | None) -> Any:
    """Return the value of a planned attribute; None without one."""
    return None if name is None else own[name]
