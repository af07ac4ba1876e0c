"""Optional values that cannot be read: noted while a call is decoded, then kept with the call as they came.

A reader takes such a value as absent. A convention stays a function of its span: notes are collected around the call
of it, and a reader outside of `UnreadNotes` notes nothing.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final

from monitor.ingest.conventions.texts.messages import as_text

UNREAD: Final = "driftd.unread"  # attribute of a call: the names of its attributes that could not be read
MAX_NAMES: Final = 64  # of one call
Notes = dict[str, Any]  # by name: an attribute, or a key in the JSON of one; names are constants of the readers

_current_notes: ContextVar[Notes | None] = ContextVar("noted", default=None)


def note_unread(name: str, value: Any) -> None:
    """The first value of a name counts; beyond MAX_NAMES nothing is noted."""
    notes = _current_notes.get()
    if notes is not None and len(notes) < MAX_NAMES:
        notes.setdefault(name, value)


class UnreadNotes:
    """Collects what is noted in its block. A generator would cost every call as much as a dozen reads."""

    __slots__ = ("_notes", "_token")

    def __enter__(self) -> Notes:
        self._notes: Notes = {}
        self._token = _current_notes.set(self._notes)
        return self._notes

    def __exit__(self, *_error: object) -> None:
        _current_notes.reset(self._token)


def with_unread(attributes: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """The attributes of a call with the noted values under their names, whole, and the list of those names.

    Lists and maps are their JSON: they may be nested deeper than attributes are.
    """
    raw = {name: as_text(value) if isinstance(value, list | dict) else value for name, value in notes.items()}
    return {**attributes, **raw, UNREAD: sorted(notes)}
