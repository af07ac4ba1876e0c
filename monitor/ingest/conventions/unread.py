"""Record optional values that cannot be read while a call is decoded, and store them with the call.

A reader treats such a value as absent. Conventions stay pure functions of a span: `UnreadNotes` collects the values
around the call of a convention. Outside such a block a reader records nothing.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final

from monitor.ingest.conventions.texts.messages import as_text

UNREAD: Final = "driftd.unread"  # attribute of a call: the names of its unread attributes
MAX_NAMES: Final = 64  # of one call
Notes = dict[str, Any]  # by name: an attribute or a JSON key; all names are constants in this package

_current_notes: ContextVar[Notes | None] = ContextVar("noted", default=None)


def note_unread(name: str, value: Any) -> None:
    """Record a value that cannot be read: the first one for each name, at most MAX_NAMES names."""
    notes = _current_notes.get()
    if notes is not None and len(notes) < MAX_NAMES:
        notes.setdefault(name, value)


class UnreadNotes:
    """A context manager that collects the unread values of its block.

    It is a class because a generator would cost each call as much as twelve reads.
    """

    __slots__ = ("_notes", "_token")

    def __enter__(self) -> Notes:
        self._notes: Notes = {}
        self._token = _current_notes.set(self._notes)
        return self._notes

    def __exit__(self, *_error: object) -> None:
        _current_notes.reset(self._token)


def with_unread(attributes: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return the attributes of a call with the unread values under their names, and the list of those names.

    Lists and maps become JSON text, because they may be nested deeper than attributes are.
    """
    raw = {name: as_text(value) if isinstance(value, list | dict) else value for name, value in notes.items()}
    return {**attributes, **raw, UNREAD: sorted(notes)}
