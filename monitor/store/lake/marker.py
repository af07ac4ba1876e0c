"""The file in the data of a lake that names the lake."""

import json
from datetime import datetime
from http import HTTPStatus
from typing import Final

import duckdb

from monitor.domain.object_store import LakeData
from monitor.store.lake.literal import literal

MARKER: Final = "driftd-lake.json"  # in the data: the id of the lake


def marker_of(connection: duckdb.DuckDBPyConnection, data: LakeData) -> str | None:
    """Return the id of the lake whose files are in `data`; None without a marker."""
    file = {"file": f"{data}/{MARKER}"}
    if isinstance(data, str) and connection.execute("SELECT file FROM glob($file)", file).fetchone() is None:
        return None
    try:
        [(content,)] = connection.execute("SELECT content FROM read_text($file)", file).fetchall()
    except duckdb.HTTPException as error:
        if error.status_code == HTTPStatus.NOT_FOUND:
            return None
        raise
    return str(json.loads(content)["lake"])


def write_marker(connection: duckdb.DuckDBPyConnection, data: LakeData, identity: str, now: datetime) -> None:
    """Write the id of the lake to its data."""
    connection.execute(
        f"COPY (SELECT $id AS lake, $at AS created_at) TO {literal(f'{data}/{MARKER}')} (FORMAT json)",
        {"id": identity, "at": now.isoformat()},
    )
