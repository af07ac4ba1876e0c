"""Seals a set with a new key: the cases of every revision, and the reply texts and reasons of its runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from monitor.store.engine.json_columns import from_json
from monitor.store.engine.schema import RESEALED_CASES, RESEALED_OUTCOMES, RESEALED_PAIRS, RESEALED_SCORES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.judging import answers as judge_answers
from monitor.store.judging import sentinels
from monitor.store.judging.pairwise import pair_context
from monitor.store.maintenance.fold import fold
from monitor.store.runs.contexts import outcome_context, score_context, sealed_contexts
from monitor.store.sets import revisions as evalsets
from monitor.store.sets.sealed_sets import case_context, turn_macs
from replay.evalsets.canonical import canonical_case
from replay.evalsets.case_codec import case_from_store
from replay.evalsets.sealing import Sealer, key_id_of

BATCH_ROWS = 5_000  # rows whose texts are in memory at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Resealed:
    """The number of rows that were sealed with another key before and are sealed with `key_id` now.

    `outcomes` counts the sentinels too, `scores` the pairwise verdicts.
    """

    key_id: str
    cases: int
    outcomes: int
    scores: int

    @property
    def rows(self) -> int:
        return self.cases + self.outcomes + self.scores


def reseal(tx: Tx, set_name: str, sealer: Sealer) -> Resealed:
    """Open what was sealed with an older key and seal it with the current key. The digests of the cases are recomputed,
    and the cached answers of judges are removed: their keys are digests with the older key.

    A value that no key opens raises SealError, and the transaction has no effect.
    """
    fold(tx)
    outcomes, scores = _outcomes(tx, set_name, sealer), _scores(tx, set_name, sealer)
    judge_answers.forget_set(tx, set_name)
    return Resealed(
        key_id=sealer.key_id,
        cases=sum(
            _cases(tx, set_name, each.revision, sealer) for each in evalsets.revisions(tx, set_name) if each.sealed
        ),
        outcomes=outcomes + sentinels.reseal(tx, set_name, sealer),
        scores=scores + _pairs(tx, set_name, sealer),
    )


def _cases(tx: Tx, set_name: str, revision: str, sealer: Sealer) -> int:
    rows = []
    for stored in evalsets.cases(tx, set_name, revision):
        if key_id_of(stored.content) == sealer.key_id:
            continue
        context = case_context(set_name, stored.case_id)
        plain = sealer.open(stored.content, context)
        case = case_from_store(from_json(plain.decode()), context)
        rows.append(
            {
                "case_id": stored.case_id,
                "content": sealer.seal(plain, context),
                "content_mac": sealer.mac(canonical_case(case)),
                "input_mac": sealer.mac(case.last_user_text),
                "turn_macs": turn_macs(case, sealer.mac),
            }
        )
    if not rows:
        return 0
    return tx.execute("reseal_cases", batch=table_of(RESEALED_CASES, rows), name=set_name, revision=revision)


def _outcomes(tx: Tx, set_name: str, sealer: Sealer) -> int:
    done = 0
    for rows in _chunks(tx.query("sealed_outcomes_of_set", name=set_name, key=sealer.key_id)):
        fresh = [_key(row) | _reseal_outcome(sealer, row) for row in rows]
        done += tx.execute("reseal_outcomes", batch=table_of(RESEALED_OUTCOMES, fresh))
    return done


def _scores(tx: Tx, set_name: str, sealer: Sealer) -> int:
    done = 0
    for rows in _chunks(tx.query("sealed_scores_of_set", name=set_name, key=sealer.key_id)):
        fresh = [row | _reseal_reason(sealer, row, score_context(row)) for row in rows]
        done += tx.execute("reseal_scores", batch=table_of(RESEALED_SCORES, fresh))
    return done


def _pairs(tx: Tx, set_name: str, sealer: Sealer) -> int:
    done = 0
    for rows in _chunks(tx.query("sealed_pairwise_verdicts_of_set", name=set_name, key=sealer.key_id)):
        fresh = [row | _reseal_reason(sealer, row, pair_context(row)) for row in rows]
        done += tx.execute("reseal_pairwise_verdicts", batch=table_of(RESEALED_PAIRS, fresh))
    return done


def _reseal_reason(sealer: Sealer, row: Row, context: str) -> Row:
    return {"reason_sealed": _reseal(sealer, row["reason_sealed"], context)}


def _reseal_outcome(sealer: Sealer, row: Row) -> Row:
    contexts = sealed_contexts(outcome_context(**_key(row)))
    return {
        column: None if row[column] is None else _reseal(sealer, row[column], context)
        for column, context in contexts.items()
    }


def _reseal(sealer: Sealer, sealed: bytes, context: str) -> bytes:
    return sealer.seal(sealer.open(sealed, context), context)


def _key(row: Row) -> Row:
    return {name: row[name] for name in ("run_id", "case_id", "sample")}


def _chunks(rows: Sequence[Row]) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while chunk := list(islice(remaining, BATCH_ROWS)):
        yield chunk
