"""Outcomes and their scores: appended together, once for each sample, and sealed when the set is sealed."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import pyarrow as pa

from monitor.domain.run import CaseResult
from monitor.store.aggregates import settled_runs
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.runs.contexts import outcome_context, reason_context
from monitor.store.runs.judged_by import judge_columns
from monitor.store.runs.outcome_page import OutcomeRow, ScoreRow, of_case, page
from monitor.store.runs.run_card import CategoryCount, FailureCount, RunBreakdown, breakdown
from monitor.store.runs.tool_calls import calls_to_json, tools_context
from monitor.store.runs.turns import turns_context, turns_to_json
from replay.types import Outcome, Reply, Score, ScoredOutcome

__all__ = [
    "CategoryCount",
    "FailureCount",
    "OutcomeRow",
    "RunBreakdown",
    "ScoreRow",
    "answered",
    "append",
    "breakdown",
    "case_results",
    "case_results_of",
    "flips",
    "of_case",
    "outcome_summaries",
    "page",
    "passing_streaks",
]

Seal = Callable[[str, str], bytes]  # (text, context) -> sealed text

_RESULT_COLUMNS = (
    "case_id",
    "category",
    "severity",
    "content_mac",
    "value",
    "samples",
    "passed",
    "failure_category",
)
_NO_REPLY = Reply(text="", latency_ms=0.0)
_REPLY_COLUMNS = (
    "latency_ms",
    "finish_reason",
    "model",
    "reported_at",
    "system_fingerprint",
    "response_id",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "ttft_ms",
)


def append(tx: Tx, run_id: str, rows: Sequence[ScoredOutcome], seal: Seal | None, *, all_new: bool = False) -> None:
    """Append the outcomes of samples without a stored outcome, with their scores.

    With `seal`, reply texts, tool calls, turns and reasons are encrypted, and only the class of an error is stored,
    because a message may quote the reply. `all_new` means that the caller knows that every sample is new, which saves
    half of the work.
    """
    first = {(row.outcome.case_id, row.outcome.sample): row for row in reversed(rows)}
    if not first:
        return
    settled_runs.unsettle(tx, [run_id])
    fresh = list(first.values())[::-1]
    scores = [_score_row(run_id, row.outcome, score, seal) for row in fresh for score in row.scores]
    outcomes = [_outcome_row(run_id, row.outcome, seal) for row in fresh]
    score_table, outcome_table = table_of(TABLES["score"], scores), table_of(TABLES["outcome"], outcomes)
    if all_new:
        tx.insert("score", score_table)
        tx.insert("outcome", outcome_table)
    else:  # scores go first: which samples are new is asked of the outcomes
        tx.execute("insert_scores_of_new_outcomes", batch=score_table, run_id=run_id)
        tx.execute("insert_new_outcomes", batch=outcome_table, run_id=run_id)


def answered(tx: Tx, run_id: str) -> set[tuple[str, int]]:
    """Return the case id and the sample of every outcome of the run, including errors."""
    return {(row["case_id"], row["sample"]) for row in tx.query("answered_samples", run_id=run_id)}


def outcome_summaries(tx: Tx, run_id: str) -> list[tuple[Outcome, bool]]:
    """Return every outcome of the run without its text, and whether it has a verdict. A resumed run continues from
    these.
    """
    return [(_summary(row), row["scored"]) for row in tx.query("outcomes_of_run", run_id=run_id)]


def cases_attempted(tx: Tx, run_id: str) -> int:
    """Return the number of cases of the run with at least one outcome."""
    row = tx.one("cases_attempted", run_id=run_id)
    return row["cases"] if row else 0


def fresh_samples_scored(tx: Tx, run_id: str, samples: int) -> int:
    """Return the number of scored samples that the run of `samples` took for the severity gate, in addition to its
    plan.
    """
    row = tx.one("fresh_samples_scored", run_id=run_id, samples=samples)
    return row["scored"] if row else 0


def case_results(tx: Tx, run_id: str, metric: str | None = None) -> list[CaseResult]:
    """Return one row for each case of the revision of the run, in position order. `samples` counts the scored ones.

    The rows have the verdicts of the samples, or with `metric` their scores of that metric.
    """
    if metric is None:
        return _case_results(tx.table("case_results", run_id=run_id))
    return _case_results(tx.table("case_results_of_metric", run_id=run_id, metric=metric))


def case_results_of(tx: Tx, run_ids: Iterable[str], metric: str | None = None) -> dict[str, list[CaseResult]]:
    """Return the `case_results` of each of these runs, with one statement for all verdicts."""
    found: dict[str, list[CaseResult]] = {run_id: [] for run_id in run_ids}
    if metric is not None:
        return {run_id: case_results(tx, run_id, metric) for run_id in found}
    rows = tx.table("case_results_of_runs", run_ids=list(found))
    for run_id, result in zip(rows["run_id"].to_pylist(), _case_results(rows), strict=True):
        found[run_id].append(result)
    return found


def _case_results(rows: pa.Table) -> list[CaseResult]:
    """Return rows as results. From columns this takes half of the time that a dictionary of each row takes."""
    columns = (rows[name].to_pylist() for name in _RESULT_COLUMNS)
    return [
        CaseResult(
            case_id=case_id,
            category=category,
            severity=severity,
            content_mac=content_mac,
            value=value,
            samples=samples,
            passed=passed,
            failure_category=failure,
        )
        for case_id, category, severity, content_mac, value, samples, passed, failure in zip(*columns, strict=True)
    ]


def passing_streaks(
    tx: Tx,
    deployment: str,
    set_name: str,
    before_run: str,
    metric: str | None = None,
    *,
    cases: Collection[str] | None = None,
) -> dict[str, int]:
    """Return for each case of `before_run` the number of consecutive complete runs before it that the case passed, by
    its verdict or by one metric. `cases` are the wanted ones by id, all when None.

    A run ends the streak when the case was missing, had other content or had no verdict.
    """
    if cases is not None and not cases:
        return {}
    found = tx.table(
        "passing_streaks",
        deployment=deployment,
        set_name=set_name,
        before_run=before_run,
        metric=metric,
        cases=None if cases is None else sorted(cases),
    )
    return dict(zip(found["case_id"].to_pylist(), found["nights"].to_pylist(), strict=True))


def flips(tx: Tx, pairs: Sequence[tuple[str, str]], cases: Collection[str] | None = None) -> tuple[int, int]:
    """Return how many cases have a verdict in both runs of a pair, over all pairs, and how many of them flipped.

    The runs are of one set. Cases are paired by id and content; `cases` are those that count, all when None.
    """
    row = tx.one(
        "flips_of_pairs",
        before=[before for before, _ in pairs],
        after=[after for _, after in pairs],
        cases=None if cases is None else sorted(cases),
    )
    return (row["n"], row["discordant"]) if row else (0, 0)


def _summary(row: Row) -> Outcome:
    reported = from_json(row["reported"])
    reply = Reply(text="", reported=reported, **{name: row[name] for name in _REPLY_COLUMNS})
    return Outcome(
        case_id=row["case_id"],
        sample=row["sample"],
        started_at=row["started_at"],
        attempts=row["attempts"],
        trace_id=row["trace_id"],
        reply=reply if row["error_class"] is None else None,
        error_class=row["error_class"],
        error_message=row["error_message"],
    )


def _outcome_row(run_id: str, outcome: Outcome, seal: Seal | None) -> Row:
    reply = outcome.reply or _NO_REPLY
    answered_with: dict[str, Any] = {name: getattr(reply, name) for name in _REPLY_COLUMNS} if outcome.reply else {}
    text = outcome.reply.text if outcome.reply else None
    context = outcome_context(run_id, outcome.case_id, outcome.sample)
    return answered_with | {
        "run_id": run_id,
        "case_id": outcome.case_id,
        "sample": outcome.sample,
        "started_at": outcome.started_at,
        "attempts": outcome.attempts,
        "trace_id": outcome.trace_id,
        "reported": to_json(reply.reported),
        "error_class": outcome.error_class,
        "error_message": None if seal else outcome.error_message,
        **_maybe_sealed("text", text, context, seal),
        **_maybe_sealed("tool_calls", calls_to_json(reply.tool_calls), tools_context(context), seal),
        **_maybe_sealed("turns", turns_to_json(reply.turns), turns_context(context), seal),
    }


def _score_row(run_id: str, outcome: Outcome, score: Score, seal: Seal | None) -> Row:
    context = reason_context(run_id, outcome.case_id, outcome.sample, score.metric)
    return {
        "run_id": run_id,
        "case_id": outcome.case_id,
        "sample": outcome.sample,
        "scorer": score.scorer,
        "scorer_version": score.scorer_version,
        "value": score.value,
        "label": score.label,
        "failure_category": score.failure_category,
        "component": score.component,
        "decides": score.decides,
        "raw": score.raw,
        **judge_columns(score.judged_by),
        **_maybe_sealed("reason", score.reason, context, seal),
    }


def _maybe_sealed(column: str, text: str | None, context: str, seal: Seal | None) -> Row:
    if text is None or seal is None:
        return {column: text}
    return {f"{column}_sealed": seal(text, context)}
