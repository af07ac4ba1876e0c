"""All texts of many records in one, so that one look tells whether any of them may hold something private."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import attrgetter
from types import UnionType
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from monitor.ingest.redact.walk import IDENTIFIERS, is_record, names_of

REPEATED: Final = frozenset(("system_prompt",))  # many calls have the same one
LONG_NUMBER: Final = 10**8  # the smallest whole number outside of a text that may be somebody's
_TEXT: Final = frozenset((str, type(None)))
_NO_TEXT: Final = frozenset((type(None), int, float, bool))
Read = Callable[[Any], Any]


class Joined(NamedTuple):
    """Every text of some records in one, and every identifier in another: one look at each tells of all of them."""

    texts: str
    identifiers: str
    repeated: frozenset[str]  # texts that come again and again, each once


def joined(records: Sequence[Any]) -> Joined:
    """The records are structs or dataclasses."""
    found = _Found()
    _gather_all(records, found)
    return Joined(_in_one(found.texts), _in_one(found.identifiers), frozenset(filter(None, found.repeated)))


class _Found:
    """Gathered so far, with what is no text among it: None where a record has none."""

    __slots__ = ("identifiers", "repeated", "texts")

    def __init__(self) -> None:
        self.texts: list[Any] = []
        self.identifiers: list[Any] = []
        self.repeated: set[Any] = set()


def _in_one(values: list[Any]) -> str:
    try:
        return "\n".join(filter(None, values))
    except TypeError:  # a decoder that was handed something else than the text its field is for
        return "\n".join(text for value in values for text in _texts_of(value))


def _gather_all(items: Sequence[Any], found: _Found) -> None:
    """Nearly always all of one class."""
    classes = set(map(type, items))
    for cls in classes:
        same = items if len(classes) == 1 else [item for item in items if type(item) is cls]
        if is_record(cls):
            _gather(_readers(cls), same, found)
        else:
            found.texts += (text for item in same for text in _texts_of(item))


def _gather(read: "_Readers", records: Sequence[Any], found: _Found) -> None:
    """Field by field, of all records at once: a loop over each would take three times as long."""
    for get in read.identifiers:
        found.identifiers += map(get, records)
    for get in read.texts:
        found.texts += map(get, records)
    for get in read.repeated:
        found.repeated.update(map(get, records))
    for get in read.tuples:
        if items := [*chain.from_iterable(map(get, records))]:
            _gather_all(items, found)
    for get in read.others:
        for value in map(get, records):
            if value.__class__ is dict:
                _gather_mapping(value, found)
            elif value.__class__ not in _NO_TEXT:
                found.texts += _texts_of(value)


def _gather_mapping(values: dict[Any, Any], found: _Found) -> None:
    """Most are flat, with the same names as the next."""
    found.repeated.update(map(str, values))
    for value in values.values():
        if value.__class__ is str:
            found.texts.append(value)
        elif value.__class__ not in _NO_TEXT or value.__class__ is int:
            found.texts += _texts_of(value)


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
        if not -LONG_NUMBER < value < LONG_NUMBER:
            yield str(value)
    elif is_record(value.__class__):
        found = joined([value])
        yield from (found.texts, found.identifiers, *found.repeated)


class _Readers(NamedTuple):
    """What of a record may hold a text, each field by itself."""

    identifiers: tuple[Read, ...]
    texts: tuple[Read, ...]
    repeated: tuple[Read, ...]
    tuples: tuple[Read, ...]
    others: tuple[Read, ...]


@cache
def _readers(cls: Any) -> _Readers:
    types = get_type_hints(cls)
    by_kind: dict[str, list[Read]] = {kind: [] for kind in _Readers._fields}
    for name in names_of(cls):
        if (kind := _kind(name, types[name])) is not None:
            by_kind[kind].append(attrgetter(name))
    return _Readers(**{kind: tuple(read) for kind, read in by_kind.items()})


def _kind(name: str, told: Any) -> str | None:
    """Which reader of `_Readers`, by the name and the type of a field; None for what can hold no text."""
    if name in IDENTIFIERS:
        return "identifiers"
    if name in REPEATED:
        return "repeated"
    kinds = frozenset(get_args(told)) if isinstance(told, UnionType) else frozenset((told,))
    if kinds <= _NO_TEXT:
        return None
    if kinds <= _TEXT:
        return "texts"
    return "tuples" if get_origin(told) is tuple else "others"
