"""The tables that statements read and change, so that a search is repeated only after a change of what it read."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Final

from monitor.store.engine.migrations import known_migrations
from monitor.store.engine.statements import statement
from monitor.store.engine.visible_rows import CONDITIONS

_COMMENT_OR_TEXT: Final = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_WORD: Final = re.compile(r"\w+")
_CHANGED: Final = re.compile(
    r'^\s*(?:UPDATE|DELETE\s+FROM|INSERT\s+(?:OR\s+REPLACE\s+)?INTO)\s+(?:main\.)?"?(\w+)', re.IGNORECASE | re.MULTILINE
)
_VIEW: Final = re.compile(r"^CREATE (?:OR REPLACE )?VIEW (\w+) AS\s([^;]*);", re.MULTILINE)
_STATEMENTS: Final[ContextVar[set[str] | None]] = ContextVar("statements", default=None)


@contextmanager
def recorded_statements() -> Iterator[set[str]]:
    """Yield the names of the statements that this thread runs in the block."""
    names: set[str] = set()
    token = _STATEMENTS.set(names)
    try:
        yield names
    finally:
        _STATEMENTS.reset(token)


def record_statement(name: str) -> None:
    if (names := _STATEMENTS.get()) is not None:
        names.add(name)


def tables_read(statements: Iterable[str]) -> frozenset[str]:
    """Return the tables that the statements may read, also through views. A column with the name of a table counts as
    the table.
    """
    return frozenset[str]().union(*map(_tables_of, statements))


@lru_cache(maxsize=2048)
def changed_table(sql: str) -> str:
    """Return the table whose rows the text of a statement inserts, changes or removes. Raises ValueError for a
    statement that changes none.

    >>> changed_table("INSERT INTO score BY NAME SELECT * FROM batch")
    'score'
    """
    found = _CHANGED.search(sql)
    if found is None:
        raise ValueError(f"this statement changes no table: {sql}")
    return found[1]


@cache
def _tables_of(name: str) -> frozenset[str]:
    names, views = _names_in(statement(name)), _views()
    return (names - views.keys()).union(*(views[view] for view in names & views.keys()))


def _names_in(sql: str) -> frozenset[str]:
    """Return the tables and views that a text names."""
    return frozenset(_WORD.findall(_COMMENT_OR_TEXT.sub("", sql))) & CONDITIONS.keys()


@cache
def _views() -> dict[str, frozenset[str]]:
    """Return the tables that each view reads. A view that several migrations create reads those of all its texts."""
    names: dict[str, frozenset[str]] = {}
    for migration in known_migrations():
        for view, sql in _VIEW.findall(migration.sql):
            names[view] = names.get(view, frozenset()) | _names_in(sql)
    while any(found & names.keys() for found in names.values()):  # views read views, and never themselves
        names = {
            view: (found - names.keys()).union(*(names[other] for other in found & names.keys() - {view}))
            for view, found in names.items()
        }
    return names
