"""The audit log: who did what and when, and whether the chain of entries is whole."""

import streamlit as st

from dashboards.actions import may
from dashboards.client import Client
from dashboards.downloads import show_downloads
from dashboards.panels.command import show_command
from dashboards.requests import system
from dashboards.times import moment
from monitor.api.schema import CallerItem, StatusItem
from monitor.api.schema.audit import AuditItem

ALL = "all"


def show_audit_log(client: Client, _status: StatusItem, who: CallerItem) -> None:
    """Show the newest entries, narrowed by principal, kind and text of the operation; only `admin` sees them."""
    if not may(who, system.ADMIN, "see the audit log"):
        return
    found = system.audit(client)
    by, kind, text = st.columns(3)
    principals = sorted({item.principal or "" for item in found})
    kinds = sorted({item.kind for item in found})
    sender = by.selectbox("Principal", [ALL, *principals], key="principal", bind="query-params")
    one = kind.selectbox("Kind", [ALL, *kinds], key="kind", bind="query-params")
    words = text.text_input("Operation contains", key="operation", bind="query-params")
    rows = [
        _row(item)
        for item in found
        if sender in {ALL, item.principal or ""} and one in {ALL, item.kind} and (words or "") in item.operation
    ]
    st.caption(f"{len(rows):,} of the newest {len(found):,} entries")
    st.dataframe(rows, hide_index=True)
    show_downloads("audit-log", rows)
    st.caption("Each entry has the hash of the one before. This command verifies the whole chain:")
    show_command("driftd db audit")


def _row(item: AuditItem) -> dict[str, object]:
    return {
        "number": item.number,
        "at": moment(item.at),
        "principal": item.principal or "",
        "kind": item.kind,
        "operation": item.operation,
        "object": item.object_id or "",
        "deployment": item.deployment or "",
        "status": item.status,
        "count": item.count,
        "address": item.address or "",
    }
