"""Where a span that is no call stands in its trace."""

from datetime import datetime
from typing import NamedTuple


class SpanLink(NamedTuple):  # one for every span that is no call: a tuple takes a third of a dataclass's time
    """`is_tool`: calls of a model beneath it are requests of their own. See monitor/domain/call_tree.py."""

    trace_id: str
    span_id: str
    parent_span_id: str
    is_tool: bool
    received_at: datetime
