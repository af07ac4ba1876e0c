"""The tests of a running lake need PostgreSQL and DuckDB's extensions: `make test-lake`."""

from tests.store.conftest import ON_LAKE

collect_ignore = [] if ON_LAKE else ["test_lake_writes.py", "test_lake_positions.py", "test_lake_kills.py"]
