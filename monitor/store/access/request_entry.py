"""The entry of the audit log that belongs to the current request: the first commit of the request contains it."""

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from monitor.store.engine.transaction import Tx


class RequestEntry(Protocol):
    """Knows what the request is. The store calls it around each commit that changes rows."""

    def before_commit(self, tx: "Tx") -> None:
        """Record the entry in the transaction, unless an earlier commit of the request contains it."""
        ...

    def after_commit(self) -> None: ...


CURRENT: Final[ContextVar[RequestEntry | None]] = ContextVar("request_entry", default=None)
