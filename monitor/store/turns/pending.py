"""The calls whose turn a detector has not judged yet, with the answers before them."""

from collections.abc import Sequence
from datetime import datetime

from monitor.domain.interaction import Interaction
from monitor.domain.turn import PendingTurn, SignalCode, StoredAnswer
from monitor.store.aggregates.settled_days import WHITE_SPACE
from monitor.store.engine.schema import KEYS_OF_TURNS, table_of
from monitor.store.engine.transaction import Tx
from monitor.store.traffic.interaction_row import to_interaction

MOST_ANSWERS = 10  # the newest stored answers of a conversation before a turn


def pending(
    tx: Tx, deployment: str, version: str, *, since: datetime, until: datetime, limit: int
) -> list[PendingTurn]:
    """Return the calls received in [since, until) that this version has not judged: at most `limit`, the newest
    first.
    """
    window = {"deployment": deployment, "version": version, "since": since, "until": until}
    rows = tx.query("pending_turns", **window, limit=limit, space=WHITE_SPACE)
    calls = [to_interaction(row) for row in rows]
    answers = _answers_before(tx, calls)
    return [PendingTurn(call=call, answers=tuple(answers.get(call.id, ()))) for call in calls]


def newest_call(tx: Tx, deployment: str, *, since: datetime, until: datetime) -> datetime | None:
    """Return when the newest call in [since, until) was received; None without one."""
    found: datetime | None = tx.query("newest_call_before", deployment=deployment, since=since, until=until)[0][
        "received_at"
    ]
    return found


def answers_before(tx: Tx, call: Interaction) -> tuple[StoredAnswer, ...]:
    """Return the stored answers before the turn of one call, the oldest first."""
    return tuple(_answers_before(tx, [call]).get(call.id, ()))


def _answers_before(tx: Tx, calls: Sequence[Interaction]) -> dict[str, list[StoredAnswer]]:
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
    for row in tx.query("answers_before_turns", batch=batch, most=MOST_ANSWERS, space=WHITE_SPACE):
        turn_id, event = row.pop("turn_id"), row.pop("event")
        answer = StoredAnswer(**row, event=event and SignalCode(event))
        found.setdefault(turn_id, []).append(answer)
    return found
