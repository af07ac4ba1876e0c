"""Imports of runs of other tools: their progress, their cases until they belong to a revision, and their totals."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa

from monitor.store.aggregates import settled_runs
from monitor.store.engine.append import row_of
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Tx

OPEN, COMPLETE = "open", "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredImport:
    """An import of one run. `digest` and `rows` are those of the rows that are committed; `state` is `open` until all
    rows of the file are. `replaced_by` is the run of a later content of the file.
    """

    run_id: str
    deployment: str
    set_name: str
    run_key: str
    digest: str
    rows: int
    state: str
    source: str
    at: datetime
    replaced_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCounts:
    """The cases of an import: all, those that are new to the revision, and those with another input there."""

    cases: int
    new_cases: int
    differing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeTotals:
    """The totals of the outcomes of a run. A latency or cost that no outcome has is None."""

    outcomes: int
    cases: int
    samples: int
    errors: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    latency_ms_p50: float | None
    latency_ms_p95: float | None
    last_at: datetime | None
    unpriced: int


def of_key(tx: Tx, deployment: str, set_name: str, run_key: str) -> list[StoredImport]:
    """Return the imports of a run of a tool, the oldest first."""
    rows = tx.query("imports_of_run_key", deployment=deployment, set_name=set_name, run_key=run_key)
    return [StoredImport(**row) for row in rows]


def insert(tx: Tx, item: StoredImport) -> None:
    tx.insert("result_import", table_of(TABLES["result_import"], [row_of(item)]))


def append(tx: Tx, *, outcomes: pa.Table, scores: pa.Table, cases: pa.Table) -> None:
    """Append the rows of a batch. The caller knows that they are new."""
    settled_runs.unsettle(tx, scores["run_id"].unique().to_pylist())
    for table, rows in (("score", scores), ("outcome", outcomes), ("result_import_case", cases)):
        if rows.num_rows:
            tx.insert(table, rows)


def advance(tx: Tx, run_id: str, rows: int, digest: str) -> None:
    """Record the rows of the file that are committed."""
    tx.execute("set_import_rows", run_id=run_id, rows=rows, digest=digest)


def complete(tx: Tx, item: StoredImport, rows: int, digest: str) -> None:
    """Record that every row is committed, and remove the cases that belong to a revision now."""
    tx.execute("complete_import", run_id=item.run_id, rows=rows, digest=digest)
    tx.execute("remove_import_cases", run_id=item.run_id)


def replace_earlier(tx: Tx, item: StoredImport, replaced: str, why: str) -> None:
    """Cancel the run of the earlier content. Its outcomes stay, and it is no night any more."""
    tx.execute(
        "replace_imports",
        run_id=item.run_id,
        deployment=item.deployment,
        set_name=item.set_name,
        run_key=item.run_key,
    )
    tx.execute("cancel_replaced_run", id=replaced, why=why)


def discard(tx: Tx, run_id: str) -> None:
    """Remove an open import with everything that it stored."""
    settled_runs.unsettle(tx, [run_id])
    tx.execute("end_scores_of_run", run_id=run_id)
    tx.execute("end_outcomes_of_run", run_id=run_id)
    tx.execute("remove_import_cases", run_id=run_id)
    tx.execute("remove_import", run_id=run_id)


def case_counts(tx: Tx, run_id: str, set_name: str, revision: str | None) -> CaseCounts:
    """Return the counts of the cases of an open import against a revision; None if the set has none."""
    row = tx.one("import_case_counts", run_id=run_id, set_name=set_name, revision=revision)
    return CaseCounts(**(row or {"cases": 0, "new_cases": 0, "differing": 0}))


def union_contents(
    tx: Tx, run_id: str, set_name: str, revision: str | None, *, rows: int = 5_000
) -> Iterator[tuple[str, bytes]]:
    """Yield the id and the stored content of each case of the revision and of the new cases, in the order of the
    ids.
    """
    for batch in tx.batches("import_union_contents", rows=rows, run_id=run_id, set_name=set_name, revision=revision):
        yield from zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True)


def insert_union(tx: Tx, run_id: str, set_name: str, revision: str | None, *, union_revision: str, first: int) -> int:
    """Store the cases of the revision and the new cases of the import as a revision. The first new case has the
    position `first`.
    """
    return tx.execute(
        "insert_union_of_import",
        run_id=run_id,
        set_name=set_name,
        revision=revision,
        union_revision=union_revision,
        first=first,
    )


def input_macs(tx: Tx, set_name: str, revision: str | None) -> dict[str, str]:
    """Return the digest of the input of each case of a revision; nothing without one."""
    if revision is None:
        return {}
    rows = tx.query("input_macs_of_revision", set_name=set_name, revision=revision)
    return {row["case_id"]: row["input_mac"] for row in rows}


def totals(tx: Tx, run_id: str) -> OutcomeTotals:
    row = tx.one("import_totals", run_id=run_id)
    assert row is not None, "an aggregate has one row"
    return OutcomeTotals(**row)


def models(tx: Tx, run_id: str) -> dict[str, int]:
    """Return the number of replies by the model that they name."""
    found: list[dict[str, Any]] = tx.query("import_models", run_id=run_id)
    return {row["model"]: row["replies"] for row in found}
