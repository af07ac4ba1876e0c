"""The append-only tables. A loop or a request that changes a row appends a fact, and never updates or removes the row.

A view joins the rows with their facts. Only maintenance (`monitor/store/maintenance`) folds facts into the rows and
removes rows: folding, retention and erasure. So an insert is never refused because another process changes a row.
`tests/store/engine/test_append_only.py` compares these lists with every statement.
"""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

VIEWS: Final[Mapping[str, str]] = MappingProxyType({"feedback": "current_feedback"})
"""The view that reads the rows of a table with their facts, by table."""
FOLDED: Final[Mapping[str, str]] = MappingProxyType({"current_feedback": "folded_feedback"})
"""The view with the same rows while no fact is stored, by view: it has no join."""
FACTS: Final[Mapping[str, str]] = MappingProxyType({"feedback_link": "feedback", "feedback_end": "feedback"})
"""The table whose rows a fact concerns, by table of facts."""
UNCHANGED: Final = frozenset({"case_replay", "reveal_log", "span_context", "span_link"})
"""Tables whose rows never change, so that they need no facts."""
APPEND_ONLY: Final = frozenset({*VIEWS, *FACTS, *UNCHANGED})
_READS: Final = re.compile(rf"\b({'|'.join(FOLDED)})\b")


@cache
def reads_facts(sql: str) -> bool:
    """Return whether a statement reads a view of `VIEWS`."""
    return _READS.search(sql) is not None


@cache
def without_facts(sql: str) -> str:
    """Return the statement with the views of `FOLDED`. It has the same result while no fact is stored."""
    return _READS.sub(lambda found: FOLDED[found[1]], sql)
