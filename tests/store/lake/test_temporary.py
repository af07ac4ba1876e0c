import duckdb
import pytest

from monitor.store.lake.temporary import is_temporary


@pytest.mark.parametrize(
    "error",
    [
        duckdb.InvalidInputException("Failed to prepare COPY: server closed the connection unexpectedly"),
        duckdb.Error("Failed to execute query: FATAL:  terminating connection due to administrator command"),
        duckdb.Error("ERROR:  could not serialize access due to concurrent update"),
        duckdb.TransactionException("Transaction conflict - attempting to insert into table with index 3"),
        duckdb.IOException("disk"),
        duckdb.Error('connection to server at "127.0.0.1" failed: FATAL:  the database system is shutting down'),
    ],
)
def test_a_lost_connection_and_a_faster_process_are_temporary(error: duckdb.Error) -> None:
    assert is_temporary(error)


@pytest.mark.parametrize(
    "error",
    [
        duckdb.CatalogException("Table with name x does not exist"),
        duckdb.Error('ERROR:  relation "x" does not exist'),
        duckdb.ConstraintException('duplicate key value violates unique constraint "run_pkey"'),
    ],
)
def test_a_bug_is_not_temporary(error: duckdb.Error) -> None:
    assert not is_temporary(error)
