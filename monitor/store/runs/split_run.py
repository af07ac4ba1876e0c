"""Moves outcomes with their scores to another run: they are appended there, and their rows of the earlier run end. A
sealed value is bound to its run and is sealed again.

The rows of the runs are deferred. A lake stores them with the commit of the moved outcomes, so a process that is killed
in between leaves no outcomes without a run.
"""

from collections.abc import Collection

from monitor.domain.run import Run
from monitor.store.aggregates import settled_runs
from monitor.store.engine.json_columns import to_json
from monitor.store.engine.schema import RESEALED_OUTCOMES, RESEALED_SCORES, TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.runs.contexts import outcome_context, score_context, sealed_contexts
from monitor.store.runs.runs import row_of_run
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


def insert_part(tx: Tx, run: Run) -> None:
    """Insert the ended run to which outcomes were moved."""
    tx.defer("insert_ended_run", batch=table_of(TABLES["run"], [row_of_run(run)]))


def finish_rest(tx: Tx, run: Run) -> None:
    """End the run from which outcomes were moved, as `run` has ended."""
    assert run.finished_at is not None
    tx.defer("set_change_of_run", id=run.id, change_id=run.change_id)
    tx.defer(
        "finish_run",
        id=run.id,
        state=run.state.value,
        version=run.version,
        at=run.finished_at.isoformat(),
        manifest=None if run.manifest is None else to_json(run.manifest),
        error=run.error,
        stopped_by=run.stopped_by,
        cases_attempted=run.cases_attempted,
    )


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
