"""The large tables: they grow with the traffic and with the replies of models. A lake stores them as Parquet files.

All other tables are control tables, which a lake stores in PostgreSQL.
"""

import re
from functools import cache
from typing import Final

from monitor.store.engine.append_only import FACTS, VIEWS

LARGE: Final = frozenset(
    {
        *("case_replay", "dead_letter", "interaction", "outcome", "score", "span_content", "span_context", "span_link"),
        *("turn_signal", *VIEWS, *FACTS),
    }
)
_CHANGED: Final = re.compile(
    r'^\s*(?:UPDATE|DELETE\s+FROM|INSERT\s+(?:OR\s+REPLACE\s+)?INTO)\s+(?:main\.)?"?(\w+)', re.IGNORECASE | re.MULTILINE
)


@cache
def changed_table(sql: str) -> str:
    """Return the table that a statement changes. Raises ValueError for a statement that changes none."""
    found = _CHANGED.search(sql)
    if found is None:
        raise ValueError(f"this statement changes no table: {sql}")
    return found[1]
