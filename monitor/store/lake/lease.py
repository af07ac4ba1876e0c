"""A lease: one of several processes holds it. Its writes are accepted, those of an earlier holder are refused.

The holder renews the lease every 2 s. PostgreSQL's clock decides when it expires, 10 s after the last renewal. Another
process then takes it, and the number of its term, the epoch, is one higher. Each write of a holder names its epoch, and
PostgreSQL refuses the commit of an older one (`sql/lake/leases.sql`): a process that was frozen for longer than the
lease cannot write with what it read before.
"""

import json
import logging
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import sleep
from typing import Any, Final, Protocol

import duckdb

from monitor.errors import LeaseLost, StoreUnavailable

log = logging.getLogger(__name__)
RENEW_S: Final = 2.0
EXPIRES_S: Final = 10.0
Argument = str | float | bool | None | Sequence[Any] | Mapping[str, Any]  # the last two are JSON
CONFLICT: Final = "could not serialize access"  # how PostgreSQL refuses a transaction that another one overtook
TRIES: Final = 20
CONFLICT_S: Final = 0.02  # longest pause between two of them
REFUSED: Final = "driftd lease:"  # how the errors of PostgreSQL begin


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """The time in which one process holds the lease `name`."""

    name: str
    epoch: int


class Caller(Protocol):
    """Calls a function of the schema `commits` in a transaction of its own, and returns its result."""

    def __call__(self, function: str, *arguments: Argument) -> int | None: ...


def call_function(cursor: duckdb.DuckDBPyConnection, function: str, *arguments: Argument) -> int | None:
    """Call a function of the schema `commits` in a transaction of its own, and return its result."""
    result = _called(cursor, function, "bigint", arguments)
    return None if result is None else int(result)


def call_for_document(cursor: duckdb.DuckDBPyConnection, function: str, *arguments: Argument) -> dict[str, Any] | None:
    """Call a function of the schema `commits` that returns a JSON object, in a transaction of its own."""
    result = _called(cursor, function, "text", arguments)
    return None if result is None else json.loads(result)


def _called(cursor: duckdb.DuckDBPyConnection, function: str, result: str, arguments: Sequence[Argument]) -> Any:
    """Call a function. Transactions of DuckDB in PostgreSQL are `REPEATABLE READ`: one that waited for the row of
    another is refused, and repeated.
    """
    sql = f"SELECT CAST(commits.{function}({', '.join(map(_written, arguments))}) AS {result}) AS result"
    tries_left = TRIES
    while True:
        try:
            [(found,)] = cursor.execute("SELECT * FROM postgres_query('control', $sql)", {"sql": sql}).fetchall()
        except duckdb.Error as error:
            tries_left -= 1
            if CONFLICT not in str(error) or not tries_left:
                raise
            sleep(random.uniform(0.0, CONFLICT_S))  # noqa: S311 - not a secret
        else:
            return found


def _written(argument: Argument) -> str:
    """Return an argument as SQL.

    >>> [_written(each) for each in ("it's", 1.5, True, None, [1])]
    ["'it''s'", '1.5', 'true', 'NULL', "'[1]'"]
    """
    match argument:
        case None:
            return "NULL"
        case bool():
            return str(argument).lower()
        case int() | float():
            return str(argument)
        case str():
            return "'" + argument.replace("'", "''") + "'"
        case _:
            return _written(json.dumps(argument))


_STEP: Final[ContextVar[Term | None]] = ContextVar("lease_term", default=None)


class Lease:
    """The lease `name` as this process sees it. A thread takes it when it is free, and renews it."""

    def __init__(
        self,
        name: str,
        holder: str,
        call: Caller,
        *,
        monotonic: Callable[[], float],
        renew_s: float = RENEW_S,
        expires_s: float = EXPIRES_S,
    ) -> None:
        assert name.isidentifier(), name
        self.name = name
        self._holder, self._call, self._monotonic = holder, call, monotonic
        self._renew_s, self._expires_s = renew_s, expires_s
        self._changed = threading.Condition()  # protects the fields below
        self._term: Term | None = None
        self._valid_until = 0.0  # monotonic
        self._stopping = False
        self._failing = False  # whether the last call failed; only the thread uses it
        self._thread = threading.Thread(target=self._run, name=f"driftd-lease-{name}", daemon=True)

    @property
    def term(self) -> Term | None:
        """Return the term of this process, None while it does not hold the lease."""
        with self._changed:
            return self._term if self._monotonic() < self._valid_until else None

    @property
    def held(self) -> bool:
        return self.term is not None

    @property
    def epoch(self) -> int | None:
        """Return the number of the term of this process, None while it does not hold the lease."""
        term = self.term
        return None if term is None else term.epoch

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread, and release the lease: another process takes it at once."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join()
        with self._changed:
            term, self._term = self._term, None
        if term is not None:
            try:
                self._call("release_lease", term.name, term.epoch)
            except (duckdb.Error, StoreUnavailable) as error:
                log.warning("the lease %s cannot be released now, it expires: %s", self.name, error)

    def wait(self, timeout_s: float) -> bool:
        """Wait until this process holds the lease. Return whether it does."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._term is not None, timeout=timeout_s)
        return self.held

    @contextmanager
    def step(self) -> Iterator[bool]:
        """Yield whether this process holds the lease. The writes of the block belong to the term that it has now: what
        the block read in one term is not written in the next one.
        """
        term = self.term
        token = _STEP.set(term)
        try:
            yield term is not None
        finally:
            _STEP.reset(token)

    def required(self) -> Term:
        """Return the term of a write. Raises LeaseLost when this process does not hold the lease, or when the term of
        the step is over.
        """
        current, of_step = self.term, _STEP.get()
        if current is None or (of_step is not None and of_step.name == self.name and of_step != current):
            raise LeaseLost(f"this process does not hold the lease {self.name}; another one may work instead")
        return current

    def renew(self) -> None:
        """Renew the lease, or take it when it is free."""
        began = self._monotonic()
        with self._changed:
            term = self._term
        try:
            if term is None:
                self._take(began)
            elif self._call("renew_lease", term.name, term.epoch, self._expires_s):
                self._hold(term, began)
            else:
                self._hold(None, began)
                log.warning("the lease %s was lost: it was not renewed within %.0f s", self.name, self._expires_s)
            self._failing = False
        except (duckdb.Error, StoreUnavailable) as error:
            if not self._failing:
                log.warning("the lease %s cannot be renewed now: %s", self.name, error)
            self._failing = True

    def _take(self, began: float) -> None:
        epoch = self._call("take_lease", self.name, self._holder, self._expires_s)
        if epoch is not None:
            self._hold(Term(name=self.name, epoch=epoch), began)
            log.info("this process holds the lease %s, term %d", self.name, epoch)

    def _hold(self, term: Term | None, began: float) -> None:
        with self._changed:
            self._term, self._valid_until = term, began + self._expires_s
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            self.renew()
            with self._changed:
                if self._changed.wait_for(lambda: self._stopping, timeout=self._renew_s):
                    return
