"""The verdicts on turns of users: one row for each turn, of the newest detector that judged it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from monitor.domain.turn import SignalCode, TurnProgress, TurnSignal, TurnVerdict
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import IDS, TABLES, table_of
from monitor.store.engine.transaction import Row, Tx

VERDICT = ("code", "score", "flagged", "detector", "version")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFilter:
    """A selection of turns. None selects all."""

    code: SignalCode | None = None
    flagged: bool | None = None
    reviewed: bool | None = None


EVERY_TURN = TurnFilter()


def write(tx: Tx, signals: Sequence[TurnSignal]) -> int:
    """Store verdicts, and return their number. The verdict of an older detector on the same turn is replaced.

    A verdict on a call that was erased in the meantime is not stored.
    """
    if not signals:
        return 0
    latest = {signal.id: signal for signal in signals}
    revision = int(tx.query("next_turn_revision")[0]["revision"])
    ended = tx.execute("end_turn_signals", batch=table_of(IDS, [{"id": id_} for id_ in latest]), revision=revision)
    times = [signal.at for signal in latest.values()]
    batch = table_of(TABLES["turn_signal"], [_row(signal) for signal in latest.values()])
    window = {"since": min(times), "until": max(times)}
    return tx.execute("insert_turn_signals", batch=batch, revision=revision if ended else 0, **window)


def page(tx: Tx, q: PageQuery, wanted: TurnFilter = EVERY_TURN) -> Page[TurnSignal]:
    """Return turns, the newest first."""
    chosen: dict[str, Any] = {
        "code": wanted.code and wanted.code.value,
        "flagged": wanted.flagged,
        "reviewed": wanted.reviewed,
    }
    return fetch_page(tx, "page_turn_signals", q, to_signal, at="at", **chosen)


def by_ids(tx: Tx, ids: Sequence[str]) -> dict[str, TurnSignal]:
    """Return the stored turns with these ids."""
    batch = table_of(IDS, [{"id": id_} for id_ in dict.fromkeys(ids)])
    return {row["id"]: to_signal(row) for row in tx.query("turn_signals_by_ids", batch=batch)}


def sample(tx: Tx, progress: TurnProgress, *, flagged: int, unflagged: int) -> list[TurnSignal]:
    """Return the next turns of the review sample of a version, in its random order.

    The order is a hash of the seed and the id of a turn. So a new turn takes a random place, and the turns reviewed so
    far are a random sample of all flagged, or all unflagged, turns.
    """
    rows = tx.query(
        "turn_sample",
        deployment=progress.deployment,
        version=progress.version,
        seed=str(progress.seed),
        flagged=flagged,
        unflagged=unflagged,
    )
    return [to_signal(row) for row in rows]


def to_signal(row: Row) -> TurnSignal:
    verdict = TurnVerdict(
        code=SignalCode(row["code"]),
        score=row["score"],
        flagged=row["flagged"],
        detector=row["detector"],
        version=row["version"],
        also=tuple(SignalCode(code) for code in from_json(row["also"])),
        evidence=tuple(from_json(row["evidence"])),
    )
    other = {name: value for name, value in row.items() if name not in {*VERDICT, "also", "evidence"}}
    return TurnSignal(**other, verdict=verdict)


def _row(signal: TurnSignal) -> Row:
    verdict = signal.verdict
    row = row_of(signal) | {name: getattr(verdict, name) for name in VERDICT}
    row |= {"code": verdict.code.value, "also": to_json([code.value for code in verdict.also])}
    return row | {"evidence": to_json(list(verdict.evidence))}
