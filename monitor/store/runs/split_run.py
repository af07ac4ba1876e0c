"""Moves outcomes with their scores to another run: they are appended there, and their rows of the earlier run end. A
sealed value is bound to its run and is sealed again.
"""

from collections.abc import Collection

from monitor.store.aggregates import settled_runs
from monitor.store.engine.schema import RESEALED_OUTCOMES, RESEALED_SCORES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.runs.contexts import outcome_context, score_context, sealed_contexts
from replay.evalsets.sealing import Sealer


def move(tx: Tx, old: str, new: str, samples: Collection[tuple[str, int]], sealer: Sealer | None) -> int:
    """Move outcomes from run `old` to run `new` and return their number. `samples` are case ids with sample numbers."""
    settled_runs.unsettle(tx, [old, new])
    wanted = set(samples)
    rows = [row for row in tx.query("sealed_outcomes_of_run", run_id=old) if (row["case_id"], row["sample"]) in wanted]
    scores = [row for row in tx.query("sealed_scores_of_run", run_id=old) if (row["case_id"], row["sample"]) in wanted]
    outcomes = [row | _reseal_outcome(row, new, sealer) for row in rows]
    verdicts = [row | _reseal_score(row, new, sealer) for row in scores]
    moved_scores, moved = table_of(RESEALED_SCORES, verdicts), table_of(RESEALED_OUTCOMES, outcomes)
    tx.execute("move_scores", batch=moved_scores, run_id=new)
    tx.execute("end_scores", batch=moved_scores)
    done = tx.execute("move_outcomes", batch=moved, run_id=new)
    tx.execute("end_outcomes", batch=moved)
    return done


def _reseal_outcome(row: Row, new: str, sealer: Sealer | None) -> Row:
    place = {"case_id": row["case_id"], "sample": row["sample"]}
    now = sealed_contexts(outcome_context(new, **place))
    return {
        column: _reseal(row[column], old, now[column], sealer)
        for column, old in sealed_contexts(outcome_context(row["run_id"], **place)).items()
    }


def _reseal_score(row: Row, new: str, sealer: Sealer | None) -> Row:
    old, now = score_context(row), score_context(row | {"run_id": new})
    return {"reason_sealed": _reseal(row["reason_sealed"], old, now, sealer)}


def _reseal(sealed: bytes | None, old: str, new: str, sealer: Sealer | None) -> bytes | None:
    if sealed is None:
        return None
    assert sealer is not None, "a sealed value was sealed with the key of its set, which this daemon has"
    return sealer.seal(sealer.open(sealed, old), new)
