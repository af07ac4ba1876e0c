"""The tests of a running lake need PostgreSQL and DuckDB's extensions: `make test-lake`."""

from tests.store.conftest import ON_LAKE

collect_ignore_glob = [] if ON_LAKE else ["test_lake_[!s]*.py", "test_lake_split.py"]
