"""Every text in a record, whatever its shape: a field that is added later is looked at unless it is named here."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple, get_args, get_type_hints

# Our own words, digests and W3C ids: nothing of a user's is in them.
STRUCTURE: Final = frozenset(
    ("deployment", "source", "convention", "origin", "run_id", "trace_id", "span_id", "parent_span_id", "prompt_hash",
     "identity", "status", "content_state", "kind", "link_method", "dup_of", "usage_source", "cost_source",
     "price_table", "received_at", "started_at", "at", "finish_reason", "role", "conversation_source", "user_source",
     "user_id")
)  # fmt: skip
IDENTIFIERS: Final = frozenset(
    ("id", "conversation_id", "response_id", "interaction_id", "linked_interaction_id", "prompt_id", "prompt_version",
     "system_fingerprint", "tool_call_id", "request_model", "response_model", "provider")
)  # fmt: skip
REPEATED: Final = frozenset(("system_prompt",))  # many calls have the same one
_NO_TEXT: Final = frozenset((type(None), int, float, bool))
Read = Callable[[Any], tuple[Any, ...]]
Replace = Callable[[str, str], str]  # field, text -> text


class Joined(NamedTuple):
    """Every text of some records in one, and every identifier in another: one look at each tells of all of them."""

    texts: str
    identifiers: str
    repeated: frozenset[str]  # texts that come again and again, each once


def joined(records: Iterable[Any]) -> Joined:
    """The records are dataclasses."""
    texts: list[str] = []
    identifiers: list[str] = []
    repeated: list[str | None] = []
    for record in records:
        _gather(record, texts, identifiers)
        if (again := _readers(record.__class__).repeated) is not None:
            repeated += again(record)
    return Joined("\n".join(texts), "\n".join(identifiers), frozenset(filter(None, repeated)))


def _gather(record: Any, texts: list[str], identifiers: list[str]) -> None:
    read = _readers(record.__class__)
    for value in read.identifiers(record):
        if value.__class__ is str:
            identifiers.append(value)
        elif value:
            texts.extend(_texts_of(value))
    for value in read.others(record):
        kind = value.__class__
        if kind is str:
            texts.append(value)
        elif kind is tuple:
            _gather_all(value, texts, identifiers)
        elif kind not in _NO_TEXT and value:
            texts.extend(_texts_in(value) if kind is dict else _texts_of(value))


def _gather_all(items: tuple[Any, ...], texts: list[str], identifiers: list[str]) -> None:
    for item in items:
        if _is_record(item.__class__):
            _gather(item, texts, identifiers)
        else:
            texts.extend(_texts_of(item))


def _texts_in(values: dict[Any, Any]) -> list[str]:
    """Of a mapping; most are flat, and nearly all values in them texts."""
    found = [*map(str, values)]
    for value in values.values():
        if value.__class__ is str:
            found.append(value)
        else:
            found.extend(_texts_of(value))
    return found


def _texts_of(value: Any) -> Iterator[str]:
    """Every text in a value, in no order that matters."""
    if value.__class__ is str:
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _texts_of(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts_of(item)
    elif value.__class__ is int:
        yield str(value)
    elif is_dataclass(value):
        texts: list[str] = []
        _gather(value, texts, texts)
        yield from texts
        yield from filter(None, (again(value) if (again := _readers(value.__class__).repeated) else ()))


def rewritten(record: Any, change: Replace) -> Any:
    """The record with `change` at every text of its dataclasses; the very same object where nothing changes.

    Mappings are left alone: their values have types of their own (see TextRedactor.value).
    """
    new = {
        name: made
        for name in _names(record.__class__)
        if (old := getattr(record, name)) and (made := _changed(name, old, change)) is not old
    }
    return changed(record, new) if new else record


def changed(record: Any, new: Mapping[str, Any]) -> Any:
    """A copy with other values, as dataclasses.replace makes it, in a third of its time: a call has fifty fields."""
    copy = object.__new__(record.__class__)
    for name in _all_names(record.__class__):
        object.__setattr__(copy, name, new[name] if name in new else getattr(record, name))
    return copy


def _changed(name: str, old: Any, change: Replace) -> Any:
    if old.__class__ is str:
        return change(name, old)
    if isinstance(old, tuple):
        items = tuple(_changed(name, item, change) for item in old)
        return old if all(n is o for n, o in zip(items, old, strict=True)) else items
    return rewritten(old, change) if is_dataclass(old) else old


@cache
def _is_record(cls: Hashable) -> bool:
    return is_dataclass(cls)


@cache
def _all_names(cls: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))


@cache
def _names(cls: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls) if field.name not in STRUCTURE)


class _Readers(NamedTuple):
    """What of a record may hold a text, each kind in one call."""

    identifiers: Read
    others: Read
    repeated: Read | None


@cache
def _readers(cls: Any) -> _Readers:
    types = get_type_hints(cls)
    told = [name for name in _names(cls) if not _NO_TEXT.issuperset(get_args(types[name]) or (types[name],))]
    repeated = [name for name in told if name in REPEATED]
    others = [name for name in told if name not in IDENTIFIERS | REPEATED]
    return _Readers(
        identifiers=_read([name for name in told if name in IDENTIFIERS]),
        others=_read(others),
        repeated=_read(repeated) if repeated else None,
    )


def _read(names: list[str]) -> Read:
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _record: ()
    read = attrgetter(names[0])
    return lambda record: (read(record),)  # of one, attrgetter gives the value itself
