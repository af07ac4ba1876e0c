"""Texts that arrive separately from their span, and how they are joined in either order of arrival."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain

from msgspec.structs import replace

from monitor.domain.deployment_limit import reaches
from monitor.domain.interaction import ChatMessage, ContentState, FinishReason, Interaction, SpanContent, Status
from monitor.store.aggregates import settled_days
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import messages_from_json, messages_to_json
from monitor.store.engine.schema import FILLED, SPANS, TABLES, table_from, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.traffic.call_revisions import revise
from monitor.store.traffic.filled_calls import restore_own_values
from monitor.store.traffic.interaction_codec import interaction_columns
from monitor.store.traffic.interaction_row import to_interaction
from replay.targets.prompt import prompt_hash

Identify = Callable[[Interaction], str | None]


def insert_content(tx: Tx, rows: Sequence[SpanContent], limited_to: str | None = None) -> None:
    """Store texts until their span arrives. `limited_to` has the deployments of a limited sender, as JSON."""
    if rows:
        plain = [_content_row(row) | {"limited_to": limited_to} for row in rows]
        tx.insert("span_content", table_of(TABLES["span_content"], plain))


def join_content(tx: Tx, now: datetime, grace_s: float = 600.0, *, identify: Identify | None = None) -> int:
    """Fill interactions without texts from the texts of their span. Return their number.

    Texts are removed when their span has arrived, used or not: a span with its own texts needs none, and a redacted
    span must not get any. Texts without a span are kept, but are not joined when they are older than `grace_s`. With a
    system prompt the hash of the prompt is set, and `identify` recomputes the identity of the version.
    """
    grace = timedelta(seconds=grace_s)
    spans_since = now - 2 * grace  # a span may be older than its texts by the grace period
    rows = tx.query("content_with_span", since=now - grace, spans_since=spans_since)
    if not rows:
        return 0
    texts = _by_span(rows)
    with_content = tx.query("filled_calls_with_content", batch=table_of(SPANS, rows), spans_since=spans_since)
    restore_own_values(tx, [row for row in with_content if _for_call(texts, row)])
    lacking = tx.query("interactions_without_content", batch=table_of(SPANS, rows), spans_since=spans_since)
    found = [(row, _for_call(texts, row)) for row in lacking]
    filled = [_filled(to_interaction(row), own, identify) for row, own in found if own]
    if filled:
        settled_days.unsettle(tx, [item.deployment for item in filled], [item.started_at for item in filled])
        batch = table_from(FILLED, interaction_columns(filled))
        revise(tx, "fill_interactions", batch, since=min(item.received_at for item in filled))
    tx.execute("end_content", batch=table_of(SPANS, rows))
    return len(filled)


def _content_row(item: SpanContent) -> Row:
    return row_of(item) | {
        "input_messages": messages_to_json(item.input_messages),
        "output_messages": messages_to_json(item.output_messages),
    }


def _by_span(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    texts: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        texts.setdefault((row["trace_id"], row["span_id"]), []).append(row)
    return {span: _without_resends(own) for span, own in texts.items()}


def _for_call(texts: Mapping[tuple[str, str], Sequence[Row]], call: Row) -> list[Row]:
    """Return the texts of the span of a call, without those of senders that are limited to other deployments."""
    of_span = texts[call["trace_id"], call["span_id"]]
    return [row for row in of_span if reaches(row["limited_to"], call["deployment"])]


def _without_resends(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of each request once. A text that is repeated within one request is kept, because users repeat
    texts.
    """
    requests: dict[datetime, list[Row]] = {}
    for row in rows:
        requests.setdefault(row["received_at"], []).append(row)
    kept: dict[str, list[Row]] = {}
    for own in requests.values():
        kept.setdefault(repr([{**row, "received_at": None} for row in own]), own)
    return list(chain.from_iterable(kept.values()))


def _filled(item: Interaction, texts: Sequence[Row], identify: Identify | None) -> Interaction:
    """Return the interaction with missing values from the texts, in order of arrival. Existing values are kept."""
    system_prompt = item.system_prompt or _first(texts, "system_prompt")
    inputs = item.input_messages or _messages(texts, "input_messages")
    outputs = item.output_messages or _messages(texts, "output_messages")
    reason = item.finish_reason or _first(texts, "finish_reason")
    finish_reason = FinishReason(reason) if reason else None
    joined = replace(
        item,
        system_prompt=system_prompt,
        input_messages=inputs,
        output_messages=outputs,
        finish_reason=finish_reason,
        finish_reason_raw=item.finish_reason_raw or _first(texts, "finish_reason_raw"),
        status=_status(item.status, finish_reason),
        content_state=_state(item, texts, whole=bool(inputs and outputs)),
    )
    if joined.prompt_hash is not None or not system_prompt:
        return joined
    hashed = replace(joined, prompt_hash=prompt_hash(system_prompt))
    return replace(hashed, identity=identify(hashed)) if identify else hashed


def _state(item: Interaction, texts: Sequence[Row], *, whole: bool) -> ContentState:
    """Return the content state. A truncated text stays truncated, in the span or apart from it."""
    if item.content_state is ContentState.TRUNCATED or any(row["cut"] for row in texts):
        return ContentState.TRUNCATED
    return ContentState.FULL if whole else ContentState.PARTIAL


def _status(sent: Status, finish_reason: FinishReason | None) -> Status:
    """Return the status with the finish reason of the texts. Without a reason, the status of the span is kept."""
    if sent is Status.ERROR or finish_reason is None:
        return sent
    return Status.INCOMPLETE if finish_reason is FinishReason.ERROR else Status.OK


def _first(texts: Sequence[Row], column: str) -> str | None:
    return next((row[column] for row in texts if row[column]), None)


def _messages(texts: Sequence[Row], column: str) -> tuple[ChatMessage, ...]:
    return tuple(chain.from_iterable(messages_from_json(row[column]) for row in texts))
