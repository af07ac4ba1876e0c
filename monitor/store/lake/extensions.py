"""The extensions of DuckDB for a lake: Python packages, which load without a network."""

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import duckdb

from monitor.errors import ConfigError
from monitor.store.lake.literal import literal

OF_EVERY_LAKE: Final = ("postgres_scanner", "ducklake")
OF_OBJECTS: Final = "httpfs"
OF_CREDENTIALS: Final = "aws"  # finds the credentials of a machine
INSTALL: Final = "install the packages of requirements-duckdb-1.5.5.lock (docs/scale.md)"


def extension(name: str) -> Path:
    """Return the file of an extension. Raises ConfigError when it is missing, or of another version of DuckDB."""
    package = find_spec(f"duckdb_extension_{name}")
    found = (
        [] if package is None else list(Path(*(package.submodule_search_locations or ())).rglob("*.duckdb_extension"))
    )
    if len(found) != 1:
        raise ConfigError(f"a lake needs the Python package {_package(name)}, which is not installed; {INSTALL}")
    wanted = version(_package(name))
    if wanted != duckdb.__version__:
        raise ConfigError(f"a lake needs DuckDB {wanted}, and DuckDB {duckdb.__version__} is installed; {INSTALL}")
    return found[0]


def load(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Load an extension. Raises ConfigError when it cannot be loaded."""
    path = str(extension(name))
    try:
        connection.execute(f"LOAD {literal(path)}")
    except duckdb.Error as error:
        raise ConfigError(f"the extension {name} of DuckDB for a lake cannot be loaded: {error}") from error


def _package(name: str) -> str:
    return f"duckdb-extension-{name.replace('_', '-')}"
