"""The position of a span that is not a call in its trace."""

from datetime import datetime
from typing import NamedTuple


class SpanLink(NamedTuple):  # a tuple, because there is one for every other span: a dataclass takes three times as long
    """A span that is not a call. With `is_tool`, model calls below it are separate requests: see
    monitor/domain/call_tree.py.
    """

    trace_id: str
    span_id: str
    parent_span_id: str
    is_tool: bool
    received_at: datetime
