"""Read the messages of an attribute: a list, JSON of a list, the text of one message, or a placeholder."""

from typing import Any

from monitor.ingest.conventions.texts.call_texts import is_placeholder
from monitor.ingest.conventions.texts.json_list import ListRead, read_list
from monitor.ingest.conventions.unread import note_unread
from monitor.ingest.json_text import storable_text

JSON_BEGINS = '[{"'


def read_messages(value: Any, name: str) -> ListRead:
    """Read a list as `read_list` does, but plain text and placeholders are one message.

    Text that begins like JSON but is not JSON, and a boolean, are recorded as unread under `name`.
    """
    if isinstance(value, str) and (bare := value.strip()) and (bare[0] not in JSON_BEGINS or is_placeholder(bare)):
        return ListRead(items=(storable_text(value),))
    read = ListRead(unread=True) if isinstance(value, bool) else read_list(value)
    if read.unread:
        note_unread(name, value)
    return read
