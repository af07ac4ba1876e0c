"""Imports of results of other tools: their state, and what became of them."""

from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime
from typing import Any

from monitor.domain.result_import import (
    ImportEnd,
    ImportOptions,
    JobState,
    ResultImport,
    SourceImports,
    StoredRun,
)
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx


def insert(tx: Tx, row: ResultImport) -> None:
    """Store an open import."""
    columns = row_of(row) | {"options": options_text(row.options), "runs": _runs_text(row.runs)}
    columns["limited_to"] = None if row.limited_to is None else to_json(list(row.limited_to))
    tx.insert("import_job", table_of(TABLES["import_job"], [columns]))


def get(tx: Tx, id_: str) -> ResultImport | None:
    """Return the import with this id."""
    row = tx.one("import_job_by_id", id=id_)
    return None if row is None else _import(row)


def page(tx: Tx, q: PageQuery) -> Page[ResultImport]:
    """Return imports, the newest first."""
    return fetch_page(tx, "page_import_jobs", q, _import, at="at")


def open_imports(tx: Tx) -> list[ResultImport]:
    """Return the imports that wait or were interrupted, the oldest first."""
    return [_import(row) for row in tx.query("open_import_jobs")]


def same_as(tx: Tx, row: ResultImport) -> ResultImport | None:
    """Return the newest import of the same content by the same source with the same options."""
    found = tx.one(
        "import_job_of_digest",
        source=row.source,
        digest=row.digest,
        deployment=row.deployment,
        set_name=row.set_name,
        options=options_text(row.options),
    )
    return None if found is None else _import(found)


def imported_digests(tx: Tx, like: ResultImport, digests: Collection[str]) -> dict[str, str]:
    """Return the import of each of these contents that the source imported already, or that failed as it would now."""
    rows = tx.query(
        "imported_digests",
        source=like.source,
        digests=list(digests),
        options=options_text(like.options),
        reader=like.reader,
        deployment=like.deployment,
        set_name=like.set_name,
    )
    return {row["digest"]: row["id"] for row in rows}


def start(tx: Tx, id_: str, now: datetime) -> None:
    """Record that the import begins once more."""
    tx.execute("start_import_job", id=id_, now=now)


def finish(tx: Tx, id_: str, end: ImportEnd, now: datetime) -> None:
    """Record how the import ended."""
    tx.execute(
        "finish_import_job",
        id=id_,
        state=end.state.value,
        finished_at=now,
        rows=end.rows,
        runs=_runs_text(end.runs),
        format=end.format,
        code=end.code,
        error=end.error,
    )


def by_source(tx: Tx) -> dict[str, SourceImports]:
    """Return the newest import of each source."""
    return {
        row.pop("source"): SourceImports(**row | {"state": JobState(row["state"])})
        for row in tx.query("newest_import_jobs")
    }


def unresolved_failure(tx: Tx, source: str, since: datetime) -> ResultImport | None:
    """Return the newest import of the source that failed since this time, if its file was not imported later."""
    row = tx.one("unresolved_import_failures", source=source, since=since)
    return None if row is None else _import(row)


def options_text(options: ImportOptions) -> str:
    """Return the options as they are stored and compared."""
    return to_json(options.document())


def _runs_text(runs: Collection[StoredRun]) -> str:
    return to_json([asdict(run) for run in runs])


def _import(row: Row) -> ResultImport:
    return ResultImport(
        **row
        | {
            "options": ImportOptions.of(from_json(row["options"])),
            "runs": tuple(map(_run, from_json(row["runs"]))),
            "state": JobState(row["state"]),
            "limited_to": None if row["limited_to"] is None else tuple(from_json(row["limited_to"])),
        }
    )


def _run(document: dict[str, Any]) -> StoredRun:
    return StoredRun(**document | {"unknown_conditions": tuple(document["unknown_conditions"])})
