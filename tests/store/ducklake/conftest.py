"""These tests need DuckDB's DuckLake extension, which is packaged for version 1.5.5 only: `make test-duckdb-1.5.5`.
With any other version they are not collected.
"""

import duckdb

collect_ignore_glob = [] if duckdb.__version__ == "1.5.5" else ["test_*.py"]
