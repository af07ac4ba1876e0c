"""Which errors of a lake are temporary: the same operation can succeed later."""

import re
from typing import Final

import duckdb

from monitor.store.engine.connections import UNAVAILABLE
from monitor.store.lake.objects.problems import is_of_objects

# DuckDB reports an error of PostgreSQL under any of its classes. Its messages must be English.
_LOST: Final = re.compile(
    r"server closed the connection|terminating connection|connection to server|no connection to the server"
    r"|could not (?:connect|receive data|send data)|connection (?:refused|reset|timed out)|connection has been closed"
    r"|the database system is|remaining connection slots|too many clients",
    re.IGNORECASE,
)
_OTHER_PROCESS: Final = re.compile(
    r"could not serialize access|deadlock detected|canceling statement due to|transaction conflict", re.IGNORECASE
)
_FOLLOWS: Final = "Current transaction is aborted"  # a thread of the query lost the connection before the query used it


def is_temporary(error: duckdb.Error) -> bool:
    """Return whether PostgreSQL or the object store could not be reached, or whether another process was first."""
    if isinstance(error, UNAVAILABLE) or is_of_objects(error):
        return True
    text = str(error)
    return bool(_LOST.search(text) or _OTHER_PROCESS.search(text) or _FOLLOWS in text)
