"""Transactions whose statements name the values of short lists.

A statement asks for the rows with some ids by `IN (SELECT unnest($ids))`. DuckDB joins that with all rows of the table:
of a table in PostgreSQL it fetches every row. With the values in the statement PostgreSQL searches them itself, and
DuckLake leaves out the files that have none of them.
"""

import re
from collections.abc import Collection
from typing import Any, Final

from monitor.store.engine.transaction import Row, Tx

MOST: Final = 1_000  # values of one list
_LISTED: Final = re.compile(r"\bIN \(SELECT unnest\(\$(\w+)(?:::VARCHAR\[\])?\)\)")


class ListedTx(Tx):
    """A transaction on a lake."""

    def _bound(self, name: str, params: Row) -> tuple[str, Row]:
        return listed(*super()._bound(name, params))


def listed(sql: str, params: Row) -> tuple[str, Row]:
    """Return a statement with the values of its short lists as parameters.

    >>> listed("SELECT 1 WHERE x IN (SELECT unnest($ids)) AND y = $y", {"ids": [3, 5], "y": 1})
    ('SELECT 1 WHERE x IN ($ids_0, $ids_1) AND y = $y', {'y': 1, 'ids_0': 3, 'ids_1': 5})
    """
    values: Row = {}

    def named(found: re.Match[str]) -> str:
        name, given = found[1], params[found[1]]
        if not _is_short(given):
            return found[0]
        values.update({f"{name}_{place}": value for place, value in enumerate(given)})
        return f"IN ({', '.join(f'${name}_{place}' for place in range(len(given)))})"

    text = _LISTED.sub(named, sql)
    return text, {name: value for name, value in params.items() if re.search(rf"\${name}\b", text)} | values


def _is_short(given: Any) -> bool:
    return (
        isinstance(given, Collection)
        and 0 < len(given) <= MOST
        and all(isinstance(each, str | int | float) for each in given)
    )
