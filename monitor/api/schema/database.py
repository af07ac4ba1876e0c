"""The tables of the database."""

from monitor.api.schema.wire import Wire


class TablesItem(Wire):
    """The names of all tables, sorted."""

    tables: list[str]


class TableItem(Wire):
    """The result of reading every value of a table. `digest` is equal for equal rows in any order, with one version of
    DuckDB. `error` names the block that cannot be read.
    """

    table: str
    rows: int | None
    digest: str | None
    error: str | None
