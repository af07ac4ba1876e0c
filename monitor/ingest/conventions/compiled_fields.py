"""Read the fields of a call with readers that are chosen once for each sequence of attribute names.

The general readers of `attributes` try every spelling of a field and accept every type. Here the spellings that a span
has are known before, and a value of the usual type is taken as it is. Any other value goes to the general reader, so
the result is the same.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.attributes import INT64_MAX
from monitor.ingest.conventions.span_call import NO_TEXT, NamedText, first_named

FieldNames = Sequence[tuple[str, Callable[..., Any], tuple[str, ...]]]  # field, general reader, attributes in order
ReadFields = Callable[[Mapping[str, Any]], dict[str, Any]]  # attributes of a span -> fields that have a value
ReadNamed = Callable[[Mapping[str, Any], Mapping[str, Any]], NamedText]  # attributes, inherited ones -> text and name
NOTHING_INHERITED: Mapping[str, Any] = {}


class _Field(NamedTuple):
    name: str
    first: str  # the first attribute of the field that the span has
    general: Callable[..., Any]
    present: tuple[str, ...]  # all of them


def fields_reader(names: Collection[str], fields: FieldNames) -> ReadFields:
    """Return a reader of the fields that spans with these attribute names may have."""
    found = [
        _Field(field, present[0], general, present)
        for field, general, spellings in fields
        if (present := tuple(name for name in spellings if name in names))
    ]
    texts = tuple(field for field in found if field.general is read.text)
    counts = tuple(field for field in found if field.general is read.count)
    others = tuple(field for field in found if field.general not in {read.text, read.count})

    def read_fields(own: Mapping[str, Any]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for field, first, general, present in texts:
            value = own[first]
            if (type(value) is str and value) or (value := general(own, *present)) is not None:
                values[field] = value
        for field, first, general, present in counts:
            value = own[first]
            if (type(value) is int and 0 <= value <= INT64_MAX) or (value := general(own, *present)) is not None:
                values[field] = value
        for field, _, general, present in others:
            if (value := general(own, *present)) is not None:
                values[field] = value
        return values

    return read_fields


def named_reader(names: Collection[str], spellings: tuple[str, ...]) -> ReadNamed:
    """Return a reader that is `first_named` for spans with these attribute names."""
    present = tuple(name for name in spellings if name in names)
    first = present[0] if present else ""

    def read_named(own: Mapping[str, Any], inherited: Mapping[str, Any]) -> NamedText:
        if inherited:
            return first_named(own, inherited, spellings)
        if not present:
            return NO_TEXT
        value = own[first]
        if type(value) is str and value:
            return NamedText(value, first)
        return first_named(own, NOTHING_INHERITED, present)

    return read_named
