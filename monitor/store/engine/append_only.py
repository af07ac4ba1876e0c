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

VIEWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "dead_letter": "current_dead_letter",
        "feedback": "current_feedback",
        "interaction": "current_interaction",
        "outcome": "current_outcome",
        "score": "current_score",
        "span_content": "current_span_content",
        "turn_signal": "current_turn_signal",
    }
)
"""The view that reads the rows of a table with their facts, by table."""
FOLDED: Final[Mapping[str, str]] = MappingProxyType({view: f"folded_{table}" for table, view in VIEWS.items()})
"""The view with the same rows while no fact is stored, by view: it has no join."""
FACTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "dead_letter_end": "dead_letter",
        "feedback_end": "feedback",
        "feedback_link": "feedback",
        "interaction_end": "interaction",
        "outcome_end": "outcome",
        "score_end": "score",
        "span_content_end": "span_content",
        "turn_signal_end": "turn_signal",
    }
)
"""The table whose rows a fact concerns, by table of facts."""
FOLDED_AT_COMMIT: Final = frozenset(VIEWS.keys() - {"feedback"})
"""Tables whose facts a file folds before the commit. A file has one writer, so nothing is refused, and no read joins
facts: a page of the newest calls reads every row of a large table while one fact waits.
"""
UNCHANGED: Final = frozenset({"case_replay", "reveal_log", "span_context", "span_link"})
"""Tables whose rows never change, so that they need no facts."""
APPEND_ONLY: Final = frozenset({*VIEWS, *FACTS, *UNCHANGED})
_READS: Final = re.compile(rf"\b({'|'.join(FOLDED)})\b")
_APPENDS: Final = re.compile(rf"\bINSERT\s+INTO\s+({'|'.join(FACTS)})\b")


@cache
def joined_with_facts(sql: str) -> frozenset[str]:
    """Return the tables that a statement reads with their facts, through a view of `VIEWS`."""
    found = set(_READS.findall(sql))
    return frozenset(table for table, view in VIEWS.items() if view in found)


@cache
def without_facts(sql: str, waiting: frozenset[str]) -> str:
    """Return the statement with the views of `FOLDED`, except those of the tables `waiting`. It has the same result
    while other tables have no fact.
    """
    joined = {VIEWS[table] for table in waiting}
    return _READS.sub(lambda found: found[1] if found[1] in joined else FOLDED[found[1]], sql)


@cache
def fact_of(sql: str) -> str | None:
    """Return the table whose facts a statement appends, None for another statement."""
    found = _APPENDS.search(sql)
    return None if found is None else FACTS[found[1]]
