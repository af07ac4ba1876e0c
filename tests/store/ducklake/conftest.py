"""These tests need DuckDB's DuckLake extension, which is a package of version 1.5.5 alone: `make test-duckdb-1.5.5`.

With any other version they are not collected, rather than skipped.
"""

import duckdb

collect_ignore_glob = [] if duckdb.__version__ == "1.5.5" else ["test_*.py"]
