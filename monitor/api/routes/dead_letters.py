"""Rejected records with the reasons: list, show, retry, remove."""

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.batch import committed
from monitor.api.body import Write, WriteRequest, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.idempotency import answer, find, remember, replay, write_once
from monitor.api.listing import ListQuery, as_list
from monitor.api.lookup import Identifier, missing
from monitor.api.problems import Unprocessable
from monitor.api.schema import (
    DeadLetterDetail,
    DeadLetterItem,
    ListPage,
    RemovedDeadLetter,
    RemoveDeadLetter,
    RetryDeadLetter,
)
from monitor.domain.feedback import Feedback
from monitor.domain.interaction import Interaction
from monitor.errors import MalformedRecord
from monitor.ingest.intake import Batch
from monitor.ingest.retry import NotRetryable, decoded_again, readable, record_of
from monitor.store.engine.database import Tx
from monitor.store.maintenance.idempotency import StoredResponse
from monitor.store.traffic import dead_letters
from monitor.store.traffic.dead_letters import DeadLetter

router = APIRouter(prefix="/api/v1/dead_letters", tags=["dead_letters"])


@router.get("", **needs(Role.READ))
def list_dead_letters(context: Context, query: ListQuery) -> ListPage[DeadLetterItem]:
    """List dead letters. They belong to no deployment: with the filter `deployment` the list is empty."""
    with context.store.read() as tx:
        return as_list(dead_letters.page(tx, query), encode.dead_letter)


@router.get("/{id}", **needs(Role.OPERATE))
def get_dead_letter(context: Context, id: Identifier) -> DeadLetterDetail:  # noqa: A002 - the path uses id
    """Return a dead letter with its content. Redaction and the removal of texts of replays were applied before."""
    with context.store.read() as tx:
        letter = _found(tx, id)
    item = encode.dead_letter(letter)
    return DeadLetterDetail(
        **item.model_dump(),
        content=readable(letter),
        truncated=item.raw_bytes > len(letter.raw),
        not_retryable=_not_retryable(letter),
    )


@router.post("/{id}/retry", response_model=RemovedDeadLetter, **needs(Role.OPERATE, **model_body(RetryDeadLetter)))
async def retry_dead_letter(context: Context, write: Write, id: Identifier) -> Response:  # noqa: A002 - the path uses id
    """Decode a dead letter again, or a corrected record in its place, and remove it after the commit of the record.

    The record takes the normal way through redaction and the writer, so a second copy is a duplicate. 422 if the record
    is still invalid, 409 if the dead letter has no complete native record.
    """
    order = write.parse(RetryDeadLetter)
    async with context.turns.turn((id, write.route)):
        letter = await run_in_threadpool(_recall, context, write, id)
        if isinstance(letter, StoredResponse):
            return replay(letter)
        try:
            record = await run_in_threadpool(_decode, context, letter, order)
        except MalformedRecord as error:
            raise Unprocessable(f"the record is still invalid: {error}; correct it and give it as `record`") from None
        counts = await committed(context, _batch(context, record))
        done = RemovedDeadLetter(
            id=id,
            type="interaction" if isinstance(record, Interaction) else "feedback",
            record_id=record.id,
            duplicate=counts.duplicates > 0,
        )
        return await run_in_threadpool(_finish, context, write, done)


@router.post("/{id}/remove", response_model=RemovedDeadLetter, **needs(Role.OPERATE, **model_body(RemoveDeadLetter)))
def remove_dead_letter(context: Context, write: Write, id: Identifier) -> Response:  # noqa: A002 - the path uses id
    """Remove a dead letter without a retry."""
    write.parse(RemoveDeadLetter)

    def work(tx: Tx) -> tuple[int, RemovedDeadLetter]:
        dead_letters.remove(tx, _found(tx, id).id)
        return 200, RemovedDeadLetter(id=id)

    return write_once(context, write, work)


def _found(tx: Tx, id_: str) -> DeadLetter:
    letter = dead_letters.get(tx, id_)
    if letter is None:
        raise missing("dead letter", id_, "dead_letters")
    return letter


def _not_retryable(letter: DeadLetter) -> str | None:
    try:
        record_of(letter)
    except NotRetryable as error:
        return str(error)
    return None


def _recall(context: ApiContext, write: WriteRequest, id_: str) -> DeadLetter | StoredResponse:
    with context.store.read() as tx:
        return find(tx, write) or _found(tx, id_)


def _decode(context: ApiContext, letter: DeadLetter, order: RetryDeadLetter) -> Interaction | Feedback:
    default, now = context.normalizer.rules.default, context.clock.now()
    return decoded_again(letter, order.record, now=now, default_deployment=default, limits=context.limits)


def _batch(context: ApiContext, record: Interaction | Feedback) -> Batch:
    if isinstance(record, Interaction):
        return Batch(interactions=context.normalizer.interactions([record]))
    return Batch(feedback=(context.normalizer.redactor.feedback(record),))


def _finish(context: ApiContext, write: WriteRequest, done: RemovedDeadLetter) -> Response:
    body = done.model_dump_json()
    with context.store.write() as tx:
        dead_letters.remove(tx, done.id)
        remember(tx, write, 200, body, context)
    return answer(200, body)
