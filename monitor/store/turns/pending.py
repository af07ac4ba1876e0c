"""The calls whose turn a detector has not judged yet, with the answers before them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import pyarrow as pa

from monitor.domain.interaction import Interaction
from monitor.domain.turn import PendingTurn, SignalCode, StoredAnswer
from monitor.store.aggregates.settled_days import WHITE_SPACE
from monitor.store.engine.schema import KEYS_OF_TURNS, table_of
from monitor.store.engine.transaction import Tx
from monitor.store.traffic.interaction_row import to_interaction

ALWAYS: Final = datetime.min.replace(tzinfo=UTC)
MOST_ANSWERS = 10  # the newest stored answers of a conversation before a turn


def pending(tx: Tx, deployment: str, version: str, *, since: datetime, until: datetime, limit: int) -> pa.Table:
    """Return the calls received in [since, until) that this version has not judged: at most `limit`, the newest first.

    The columns are `id`, `received_at`, `started_at`, and `begun_at`: no stored call of the conversation is earlier.
    """
    window = {"deployment": deployment, "version": version, "since": since, "until": until}
    return tx.table("pending_turns", **window, limit=limit, space=WHITE_SPACE)


def read(tx: Tx, deployment: str, batch: pa.Table, *, arrived: datetime) -> list[PendingTurn]:
    """Return the turns of a part of `pending`, the newest first, with the answers before them. Calls that were removed,
    or that are no longer turns, are missing.

    Calls received since `arrived` may be earlier than `begun_at`: the search of the batch may not have seen them.
    """
    received, begun = batch["received_at"], min(batch["begun_at"].to_pylist())
    window = {"deployment": deployment, "since": received[-1].as_py(), "until": received[0].as_py()}
    rows = tx.query("pending_calls", batch=batch.select(["id"]), **window, space=WHITE_SPACE)
    calls = [to_interaction(row) for row in rows]
    answers = _answers_before(tx, calls, begun=begun, arrived=arrived)
    return [PendingTurn(call=call, answers=tuple(answers.get(call.id, ()))) for call in calls]


def newest_call(tx: Tx, deployment: str, *, since: datetime, until: datetime) -> datetime | None:
    """Return when the newest call in [since, until) was received; None without one."""
    found: datetime | None = tx.query("newest_call_before", deployment=deployment, since=since, until=until)[0][
        "received_at"
    ]
    return found


def answers_before(tx: Tx, call: Interaction) -> tuple[StoredAnswer, ...]:
    """Return the stored answers before the turn of one call, the oldest first."""
    return tuple(_answers_before(tx, [call], begun=ALWAYS, arrived=ALWAYS).get(call.id, ()))


def _answers_before(
    tx: Tx, calls: Sequence[Interaction], *, begun: datetime, arrived: datetime
) -> dict[str, list[StoredAnswer]]:
    found: dict[str, list[StoredAnswer]] = {}
    keys = [
        {
            "turn_id": call.id,
            "deployment": call.deployment,
            "conversation_id": call.conversation_id,
            "user_id": call.user_id,
            "started_at": call.started_at,
        }
        for call in calls
        if call.conversation_id is not None or call.user_id is not None
    ]
    if not keys:
        return found
    batch = table_of(KEYS_OF_TURNS, keys)
    times = {"begun_at": begun, "ended_at": max(call.started_at for call in calls), "arrived_at": arrived}
    for row in tx.query("answers_before_turns", batch=batch, **times, most=MOST_ANSWERS, space=WHITE_SPACE):
        turn_id, event = row.pop("turn_id"), row.pop("event")
        answer = StoredAnswer(**row, event=event and SignalCode(event))
        found.setdefault(turn_id, []).append(answer)
    return found
