"""Batches of native records over HTTP: each record is decoded separately, all valid ones are committed together."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from monitor.api.body import WriteRequest, json_body
from monitor.api.context import ApiContext
from monitor.api.idempotency import answer, find, remember, replay
from monitor.api.problems import BodyTooLarge, InvalidRequest
from monitor.api.schema import BatchResult, Rejected
from monitor.domain.feedback import Feedback
from monitor.domain.interaction import Interaction
from monitor.errors import DriftdError, MalformedRecord, StoreUnavailable
from monitor.ingest.dead_letter import as_bytes
from monitor.ingest.intake import Batch, Counts
from monitor.ingest.native.record import decode_record
from monitor.store.maintenance.idempotency import StoredResponse
from monitor.store.traffic.dead_letters import DeadLetter

_RECORD = {"type": "object", "description": "a native record: an interaction or a feedback"}
RECORDS_BODY = json_body({"anyOf": [_RECORD, {"type": "array", "items": _RECORD}]})
SOURCE = "http"


class Kind(StrEnum):
    """The record type of a route; a record may omit its `type`."""

    INTERACTION = "interaction"
    FEEDBACK = "feedback"


@dataclass(slots=True, kw_only=True)
class _Found:
    """The decoded records of a batch, valid and rejected. Native calls are normalized together at the end."""

    interactions: list[Interaction] = field(default_factory=list)
    feedback: list[Feedback] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)

    def add(self, context: ApiContext, item: Interaction | Feedback) -> None:
        if isinstance(item, Interaction):
            self.interactions.append(item)
        else:
            self.feedback.append(context.normalizer.redactor.feedback(item))

    def reject(self, context: ApiContext, index: int, record: Any, error: MalformedRecord, now: datetime) -> None:
        reason = str(error)
        letter = context.normalizer.dead_letter(
            source=SOURCE, code=error.code, reason=reason, raw=as_bytes(record), now=now
        )
        self.dead_letters.append(letter)
        self.rejected.append(
            Rejected(index=index, code=error.code, reason=letter.reason)
        )  # may be stored with the answer

    def batch(self, context: ApiContext) -> Batch:
        return Batch(
            interactions=context.normalizer.interactions(self.interactions),
            feedback=tuple(self.feedback),
            dead_letters=tuple(self.dead_letters),
        )


async def write_batch(context: ApiContext, write: WriteRequest, kind: Kind) -> Response:
    """Store a batch and answer after its commit. With an `Idempotency-Key`, a repeated request gets the same answer.

    The ingest writer commits the rows; this request stores the answer afterwards. After a crash between the two, the
    rows exist without a stored answer: a repeated request then reports them as duplicates by their ids.
    """
    if write.key is None:
        return answer(200, (await _land(context, write, kind)).model_dump_json())
    async with context.turns.turn((write.key, write.route)):
        known = await run_in_threadpool(_recall, context, write)
        if known is not None:
            return replay(known)
        body = (await _land(context, write, kind)).model_dump_json()
        await run_in_threadpool(_keep, context, write, body)
        return answer(200, body)


async def _land(context: ApiContext, write: WriteRequest, kind: Kind) -> BatchResult:
    try:
        context.intake.require_space()
        with context.telemetry.span(
            "ingest.receive", {"driftd.transport": SOURCE, "driftd.signal": kind.value}
        ) as span:
            async with context.room.decoders:
                batch, rejected = await run_in_threadpool(_decode, context, write, kind)
            span.set_attributes({"driftd.rows": batch.rows, "driftd.dead_letters": len(batch.dead_letters)})
            counts = await committed(context, batch)
    except DriftdError as error:
        context.telemetry.count("driftd.ingest.refused", 1, {"transport": SOURCE, "code": error.code})
        raise
    return BatchResult(accepted=counts.accepted, duplicates=counts.duplicates, rejected=rejected)


async def committed(context: ApiContext, batch: Batch) -> Counts:
    """Return the counts of a batch after its commit. Raises StoreUnavailable if the commit takes too long."""
    receipt = context.intake.submit(batch)
    try:
        with context.telemetry.span("ingest.await_commit"):
            return await asyncio.wait_for(asyncio.wrap_future(receipt.future), context.commit_timeout_s)
    except TimeoutError:
        raise StoreUnavailable(
            f"the batch was not committed within {context.commit_timeout_s:g} s; send it again: "
            "repeated records are counted once"
        ) from None


def _decode(context: ApiContext, write: WriteRequest, kind: Kind) -> tuple[Batch, list[Rejected]]:
    with context.telemetry.span("ingest.decode"):
        body = write.json()
        if not isinstance(body, dict | list):
            raise InvalidRequest("body: expected one record or an array of records")
        records = body if isinstance(body, list) else [body]
        if len(records) > (most := context.limits.records):
            raise BodyTooLarge(
                f"the body has {len(records)} records, more than {most} (ingest.limits.records); split the batch"
            )
        found = _Found()
        now = context.clock.now()
        for index, record in enumerate(records):
            try:
                found.add(context, _decode_one(context, record, kind, now))
            except MalformedRecord as error:
                found.reject(context, index, record, error, now)
        return found.batch(context), found.rejected


def _decode_one(context: ApiContext, record: Any, kind: Kind, now: datetime) -> Interaction | Feedback:
    if not isinstance(record, dict):
        raise MalformedRecord("a record must be a JSON object")
    if record.get("type", kind.value) != kind.value:
        raise MalformedRecord(f"field 'type': this route accepts only records of type {kind.value!r}")
    named = {"type": kind.value, **record}
    return decode_record(named, now, context.normalizer.rules.default, SOURCE, context.limits)


def _recall(context: ApiContext, write: WriteRequest) -> StoredResponse | None:
    with context.store.read() as tx:
        return find(tx, write)


def _keep(context: ApiContext, write: WriteRequest, body: str) -> None:
    with context.store.write() as tx:
        remember(tx, write, 200, body, context)
