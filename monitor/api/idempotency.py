"""Idempotent writes: a repeated `Idempotency-Key` gets the stored answer."""

from collections.abc import Callable

from fastapi.responses import Response

from monitor.api import audit
from monitor.api.body import WriteRequest
from monitor.api.context import ApiContext
from monitor.api.problems import Unprocessable
from monitor.api.schema import Wire
from monitor.store.engine.database import Tx
from monitor.store.maintenance import idempotency
from monitor.store.maintenance.idempotency import StoredResponse


class KeyReused(Unprocessable):
    code = "idempotency_key_reused"


def write_once(context: ApiContext, write: WriteRequest, work: Callable[[Tx], tuple[int, Wire]]) -> Response:
    """Run `work` and store its answer in one transaction, under the write lock of the store.

    A concurrent request with the same key waits for the lock and then gets the stored answer. An error is not stored:
    the transaction is rolled back, and the same key can be used again.
    """
    with context.store.write() as tx:
        known = find(tx, write)
        if known is not None:
            return replay(known)
        status, item = work(tx)
        audit.note(item, status=status)
        body = item.model_dump_json()
        remember(tx, write, status, body, context)
    context.wake()
    return answer(status, body)


def find(tx: Tx, write: WriteRequest) -> StoredResponse | None:
    """Return the stored answer to this key on this route. Raises KeyReused if the key came with another body."""
    known = idempotency.get(tx, write.key, write.route) if write.key else None
    if known is not None and known.request_hash != write.request_hash:
        raise KeyReused("header.idempotency-key: this key was used with another body; use a new key for a new request")
    return known


def remember(tx: Tx, write: WriteRequest, status: int, body: str, context: ApiContext) -> None:
    if write.key is None:
        return
    entry = StoredResponse(
        key=write.key,
        route=write.route,
        request_hash=write.request_hash,
        status=status,
        body=body,
        at=context.clock.now(),
    )
    idempotency.put(tx, entry)


def replay(known: StoredResponse) -> Response:
    return answer(known.status, known.body, {"Idempotency-Replayed": "true"})


def answer(status: int, body: str, headers: dict[str, str] | None = None) -> Response:
    return Response(body, status, headers, "application/json")
