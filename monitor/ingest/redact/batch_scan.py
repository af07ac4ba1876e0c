"""Join all texts of many records, so that one scan shows whether any of them may have a private value."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import attrgetter
from types import UnionType
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from monitor.ingest.redact.walk import IDENTIFIERS, is_record, names_of

REPEATED: Final = frozenset(("system_prompt",))  # many calls share the same one
LONG_NUMBER: Final = 10**8  # the smallest whole number outside a text that may be a private number
_TEXT: Final = frozenset((str, type(None)))
_NO_TEXT: Final = frozenset((type(None), int, float, bool))
Read = Callable[[Any], Any]


class Joined(NamedTuple):
    """All texts of some records as one text, and all identifiers as another: one scan of each covers all records."""

    texts: str
    identifiers: str
    repeated: frozenset[str]  # texts that many records share, each once


def joined(records: Sequence[Any]) -> Joined:
    """Join the texts of structs or dataclasses."""
    found = _Found()
    _gather_all(records, found)
    return Joined(_in_one(found.texts), _in_one(found.identifiers), frozenset(filter(None, found.repeated)))


class _Found:
    """The texts found in records; None for a field without a value."""

    __slots__ = ("identifiers", "repeated", "texts")

    def __init__(self) -> None:
        self.texts: list[Any] = []
        self.identifiers: list[Any] = []
        self.repeated: set[Any] = set()


def _in_one(values: list[Any]) -> str:
    try:
        return "\n".join(filter(None, values))
    except TypeError:  # a field of type text has another value
        return "\n".join(text for value in values for text in _texts_of(value))


def _gather_all(items: Sequence[Any], found: _Found) -> None:
    """Collect the texts. Nearly always all records have one class."""
    classes = set(map(type, items))
    for cls in classes:
        same = items if len(classes) == 1 else [item for item in items if type(item) is cls]
        if is_record(cls):
            _gather(_readers(cls), same, found)
        else:
            found.texts += (text for item in same for text in _texts_of(item))


def _gather(read: "_Readers", records: Sequence[Any], found: _Found) -> None:
    """Collect field by field over all records: a loop over each record takes three times as long."""
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
    """Collect the texts of mappings. Most are flat, with the same keys as the next."""
    found.repeated.update(map(str, values))
    for value in values.values():
        if value.__class__ is str:
            found.texts.append(value)
        elif value.__class__ not in _NO_TEXT or value.__class__ is int:
            found.texts += _texts_of(value)


def _texts_of(value: Any) -> Iterator[str]:
    """Yield every text in a value, in any order."""
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
    """The fields of a record class that may have texts, by kind."""

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


def _kind(name: str, annotation: Any) -> str | None:
    """Return the reader in `_Readers` for a field of this name and type; None for a field without texts."""
    if name in IDENTIFIERS:
        return "identifiers"
    if name in REPEATED:
        return "repeated"
    kinds = frozenset(get_args(annotation)) if isinstance(annotation, UnionType) else frozenset((annotation,))
    if kinds <= _NO_TEXT:
        return None
    if kinds <= _TEXT:
        return "texts"
    return "tuples" if get_origin(annotation) is tuple else "others"
