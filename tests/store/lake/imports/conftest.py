"""The tests of an import need PostgreSQL and DuckDB's extensions: `make test-lake`."""

from tests.store.conftest import ON_LAKE

collect_ignore_glob = [] if ON_LAKE else ["test_lake_*.py"]
