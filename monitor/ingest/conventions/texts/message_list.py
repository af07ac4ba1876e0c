"""The messages of an attribute: a list, JSON of one, the text of a single message, or a placeholder for it."""

from typing import Any

from monitor.ingest.conventions.texts.call_texts import is_placeholder
from monitor.ingest.conventions.texts.json_list import ListRead, read_list
from monitor.ingest.conventions.unread import note_unread
from monitor.ingest.json_text import storable_text

JSON_BEGINS = '[{"'


def read_messages(value: Any, name: str) -> ListRead:
    """As `read_list`, but a text that does not begin as JSON does, and a placeholder, is the one message.

    A text that begins like JSON and is none, and a boolean, is noted as unread under `name`.
    """
    if isinstance(value, str) and (bare := value.strip()) and (bare[0] not in JSON_BEGINS or is_placeholder(bare)):
        return ListRead(items=(storable_text(value),))
    read = ListRead(unread=True) if isinstance(value, bool) else read_list(value)
    if read.unread:
        note_unread(name, value)
    return read
