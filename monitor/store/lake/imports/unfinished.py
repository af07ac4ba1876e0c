"""Whether a lake has the rows of a database file: no process opens it while their import is unfinished."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import duckdb

from monitor.errors import ConfigError

_IMPORT: Final = "SELECT fingerprint, source, epoch(began_at), epoch(ended_at) FROM control.commits.import"


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """The import of a lake. It is unfinished until `ended_at`."""

    fingerprint: str
    source: str
    began_at: datetime
    ended_at: datetime | None


def import_of(cursor: duckdb.DuckDBPyConnection) -> Import | None:
    """Return the import of the lake, finished or not."""
    row = cursor.execute(_IMPORT).fetchone()
    if row is None:
        return None
    ended_at = None if row[3] is None else datetime.fromtimestamp(row[3], UTC)
    return Import(fingerprint=row[0], source=row[1], began_at=datetime.fromtimestamp(row[2], UTC), ended_at=ended_at)


def unfinished(found: Import) -> str:
    """Return the sentence about an unfinished import."""
    return (
        f"the import of {found.source} into the lake is unfinished; run `driftd lake import {found.source}` again, "
        "which continues it"
    )


def require_finished_import(cursor: duckdb.DuckDBPyConnection) -> None:
    """Raise ConfigError while an import is unfinished: the lake has a part of the rows."""
    found = import_of(cursor)
    if found is not None and found.ended_at is None:
        raise ConfigError(unfinished(found))
