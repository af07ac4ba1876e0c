"""Versions of deployments, and the changes between them."""

from datetime import datetime

import pyarrow as pa

from monitor.domain.version import Change, ChangeKind, How, Version
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx


def insert(tx: Tx, version: Version) -> bool:
    """Add a version; False when the deployment has it already. The write lock makes check and insert atomic."""
    if get(tx, version.deployment, version.id) is not None:
        return False
    tx.insert("version", _version_rows(version))
    return True


def insert_change(tx: Tx, change: Change) -> None:
    tx.insert("change", _change_rows(change))


def insert_seen(tx: Tx, version: Version) -> None:
    """Add a version that outcomes show, unless it is known. It is stored with the outcomes that this write changes."""
    tx.defer("insert_seen_version", batch=_version_rows(version))


def insert_noted(tx: Tx, change: Change) -> None:
    """Add a change that outcomes show. It is stored with the outcomes that this write changes."""
    tx.defer("insert_noted_change", batch=_change_rows(change))


def _version_rows(version: Version) -> pa.Table:
    row = row_of(version) | {"identity": to_json(version.identity), "evidence": to_json(version.evidence)}
    return table_of(TABLES["version"], [row])


def _change_rows(change: Change) -> pa.Table:
    return table_of(TABLES["change"], [row_of(change) | {"evidence": to_json(change.evidence)}])


def get_change(tx: Tx, change_id: str) -> Change | None:
    row = tx.one("change_by_id", id=change_id)
    return to_change(row) if row else None


def first_calls(tx: Tx, change_id: str, limit: int) -> list[tuple[str, str]]:
    """Return trace and span of the first production calls that the new version of a change answered."""
    rows = tx.query("first_calls_of_change", change_id=change_id, limit=limit)
    return [(row["trace_id"], row["span_id"]) for row in rows]


def versions(tx: Tx, deployment: str) -> list[Version]:
    """Return every version of the deployment, the first seen first."""
    return [to_version(row) for row in tx.query("versions_of_deployment", deployment=deployment)]


def get(tx: Tx, deployment: str, version_id: str) -> Version | None:
    row = tx.one("version_by_id", deployment=deployment, id=version_id)
    return to_version(row) if row else None


def current_version(tx: Tx, deployment: str) -> str | None:
    """Return the version after the newest change, else the version first seen last; None before the first version."""
    row = tx.one("current_version", deployment=deployment)
    return row["to_version"] if row else None


def page_versions(tx: Tx, q: PageQuery) -> Page[Version]:
    return fetch_page(tx, "page_versions", q, to_version, at="first_seen", tie="tie")


def page_changes(tx: Tx, q: PageQuery) -> Page[Change]:
    return fetch_page(tx, "page_changes", q, to_change, at="at")


def newest_change(tx: Tx, deployment: str) -> Change | None:
    """Return the newest stored change. Its version is the current one."""
    row = tx.one("newest_change", deployment=deployment)
    return to_change(row) if row else None


def changes_without_run(tx: Tx) -> list[Change]:
    """Return changes from a known version without a planned replay, the oldest first."""
    return [to_change(row) for row in tx.query("changes_without_run")]


def changes_without_event(tx: Tx, receiver: str, since: datetime) -> list[Change]:
    """Return changes from a known version, noted since a time, of which the receiver has no change event."""
    return [to_change(row) for row in tx.query("changes_without_event", receiver=receiver, since=since)]


def to_version(row: Row) -> Version:
    plain = {name: value for name, value in row.items() if name != "tie"}
    return Version(
        **plain
        | {
            "identity": from_json(row["identity"]),
            "evidence": from_json(row["evidence"]),
            "how": How(row["how"]),
        }
    )


def to_change(row: Row) -> Change:
    return Change(
        **row | {"kind": ChangeKind(row["kind"]), "how": How(row["how"]), "evidence": from_json(row["evidence"])}
    )
