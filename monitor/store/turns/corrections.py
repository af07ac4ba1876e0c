"""Flagged turns as corrections that can propose a candidate."""

from dataclasses import dataclass

from monitor.domain.interaction import Interaction
from monitor.domain.turn import TurnSignal
from monitor.store.aggregates.settled_days import WHITE_SPACE
from monitor.store.engine.schema import IDS, table_of
from monitor.store.engine.transaction import Tx
from monitor.store.traffic.interaction_row import to_interaction
from monitor.store.turns import progress
from monitor.store.turns.signals import to_signal


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedTurn:
    """A turn that corrects a stored answer. `answer` is the call with that answer, `text` the whole turn."""

    signal: TurnSignal
    answer: Interaction
    text: str


def flagged_without_candidate(tx: Tx, deployment: str, limit: int, *, score: float = 0.0) -> list[FlaggedTurn]:
    """Return the newest flagged turns of the newest detector whose answer is no candidate yet, one for each answer.

    An answer with an explicit correction is left out: it is counted and proposed once.
    """
    known = progress.get(tx, deployment)
    if known is None:
        return []
    rows = tx.query(
        "flagged_without_candidate",
        deployment=deployment,
        version=known.version,
        score=score,
        limit=limit,
        space=WHITE_SPACE,
    )
    texts = [row.pop("turn_text") for row in rows]
    found = [to_signal(row) for row in rows]
    wanted = table_of(IDS, [{"id": signal.answer_id} for signal in found])
    answers = {row["id"]: to_interaction(row) for row in tx.query("interactions_by_ids", batch=wanted)}
    return [
        FlaggedTurn(signal=signal, answer=answers[str(signal.answer_id)], text=text)
        for signal, text in zip(found, texts, strict=True)
    ]
