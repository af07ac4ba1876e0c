"""Collect all texts of many records, so that one scan finds those of them that may have a private value."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import chain, compress
from operator import attrgetter
from types import UnionType
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from monitor.ingest.redact.walk import IDENTIFIERS, LONG_NUMBER, is_record, names_of

REPEATED: Final = frozenset(("system_prompt",))  # many calls share the same one
_TEXT: Final = frozenset((str, type(None)))
_ABSENT: Final = frozenset((type(None),))
_NO_TEXT: Final = frozenset((type(None), int, float, bool))
Read = Callable[[Any], Any]


class Column:
    """The texts of one kind in some records, each with the index of its record. None for a field without a value."""

    __slots__ = ("owners", "values")

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.owners: list[int] = []

    def add(self, texts: Iterable[str], owner: int) -> None:
        before = len(self.values)
        self.values += texts
        self.owners += [owner] * (len(self.values) - before)

    def joined(self) -> str:
        """Return all texts as one, a line or more each."""
        return "\n".join(filter(None, self.values))

    def texts(self) -> tuple[list[str], list[int]]:
        """Return the texts of `joined`, in order, and the index of the record of each."""
        return [*filter(None, self.values)], [*compress(self.owners, self.values)]


class Scan:
    """All texts of some records, except attribute values in `clean`, which need no redaction."""

    __slots__ = ("clean", "identifiers", "repeated", "texts")

    def __init__(self, records: Sequence[Any], clean: AbstractSet[str] = frozenset()) -> None:
        self.clean = clean
        self.texts = Column()
        self.identifiers = Column()
        self.repeated: set[Any] = set()  # texts that many records share, each once
        _gather_all(records, range(len(records)), self)
        self.repeated.discard(None)


def _gather_all(items: Sequence[Any], owners: Sequence[int], found: Scan) -> None:
    """Collect the texts. Nearly always all records have one class."""
    classes = set(map(type, items))
    for cls in classes:
        if not is_record(cls):
            for item, owner in zip(items, owners, strict=True):
                if type(item) is cls:
                    found.texts.add(_texts_of(item), owner)
        elif len(classes) == 1:
            _gather(_readers(cls), items, owners, found)
        else:
            own = [item.__class__ is cls for item in items]
            _gather(_readers(cls), [*compress(items, own)], [*compress(owners, own)], found)


def _gather(read: "_Readers", records: Sequence[Any], owners: Sequence[int], found: Scan) -> None:
    """Collect field by field over all records: a loop over each record takes three times as long."""
    for get in read.identifiers:
        _gather_field(found.identifiers, get, records, owners)
    for get in read.texts:
        _gather_field(found.texts, get, records, owners)
    for get in read.repeated:
        found.repeated.update(map(get, records))
    for get in read.tuples:
        groups = [*map(get, records)]
        if items := [*chain.from_iterable(groups)]:
            _gather_all(items, [o for o, group in zip(owners, groups, strict=True) for _ in group], found)
    for get in read.others:
        for owner, value in zip(owners, map(get, records), strict=True):
            _gather_other(value, owner, found)


def _gather_other(value: Any, owner: int, found: Scan) -> None:
    if value.__class__ is dict:
        _gather_mapping(value, owner, found)
    elif is_record(value.__class__):
        _gather_all([value], [owner], found)
    elif value.__class__ not in _NO_TEXT:
        found.texts.add(_texts_of(value), owner)


def _gather_field(column: Column, get: Read, records: Sequence[Any], owners: Sequence[int]) -> None:
    values = [*map(get, records)]
    kinds = {*map(type, values)}
    if kinds == _ABSENT:  # many fields have no value in any record
        return
    if kinds <= _TEXT:
        column.values += values
        column.owners += owners
        return
    for owner, value in zip(owners, values, strict=True):  # a field of type text has another value
        column.add(_texts_of(value), owner)


def _gather_mapping(values: dict[Any, Any], owner: int, found: Scan) -> None:
    """Collect the texts of mappings. Most are flat, with the same keys as the next."""
    texts, owners, clean = found.texts.values, found.texts.owners, found.clean
    found.repeated.update(map(str, values))
    for value in values.values():
        kind = value.__class__
        if kind is str:
            if value not in clean:
                texts.append(value)
                owners.append(owner)
        elif kind is int:
            if not -LONG_NUMBER < value < LONG_NUMBER:
                texts.append(str(value))
                owners.append(owner)
        elif kind not in _NO_TEXT:
            found.texts.add(_texts_of(value), owner)


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
        found = Scan([value])
        yield from chain(found.texts.texts()[0], found.identifiers.texts()[0], found.repeated)


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
