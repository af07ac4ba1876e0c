"""Calls with values from other reports of the same call, and their own original values.

A filled row keeps its original values of the filled columns in `own_values`, so that they can be recomputed when
another span of the trace arrives.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from monitor.domain.interaction import Interaction
from monitor.store.aggregates import settled_days
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.schema import FILLED_CALLS, table_from
from monitor.store.engine.transaction import Row, Tx
from monitor.store.traffic.call_revisions import revise
from monitor.store.traffic.interaction_codec import interaction_columns
from monitor.store.traffic.interaction_row import to_interaction

OWN: Final = "own_values"
_COLUMNS: Final = tuple(name for name in FILLED_CALLS.names if name not in ("id", OWN))


def own_values(row: Row) -> dict[str, Any]:
    """Return the original values of the filled columns of a call."""
    found: dict[str, Any] = from_json(row[OWN]) if row[OWN] else {}
    return found


def own_call(row: Row) -> Interaction:
    """Return the call as it was received, without filled values."""
    return to_interaction(row | own_values(row))


def write_filled(tx: Tx, rows: Mapping[str, Row], filled: Sequence[Interaction]) -> int:
    """Store the calls whose columns changed, with the original values of their rows. Return the number of rows."""
    columns = interaction_columns(filled)
    changed: list[int] = []
    own: list[str | None] = []
    for place, item in enumerate(filled):
        row = rows[item.id]
        plain = row | own_values(row)
        original = {name: plain[name] for name in _COLUMNS if columns[name][place] != plain[name]}
        if any(columns[name][place] != row[name] for name in _COLUMNS):
            changed.append(place)
            own.append(to_json(original) if original else None)
    if not changed:
        return 0
    settled_days.unsettle(tx, [filled[n].deployment for n in changed], [filled[n].started_at for n in changed])
    kept = {name: [columns[name][place] for place in changed] for name in (*_COLUMNS, "id")}
    since = min(filled[n].received_at for n in changed)
    return revise(tx, "fill_calls", table_from(FILLED_CALLS, kept | {OWN: own}), since=since)


def restore_own_values(tx: Tx, rows: Sequence[Row]) -> int:
    """Restore the original values of filled rows."""
    return write_filled(tx, {row["id"]: row for row in rows}, [own_call(row) for row in rows]) if rows else 0
