"""The notifications of an alert: receiver, time, state and error of each."""

from collections.abc import Sequence

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import plain
from dashboards.panels.empty import show_empty
from dashboards.times import moment
from monitor.api.schema import AlertItem, NotificationItem

STATUS = {"sent": "✓ sent", "queued": "… queued", "failed": "✗ failed", "replaced": "replaced by a newer one"}


def show_notifications(alert: AlertItem, found: Sequence[NotificationItem]) -> None:
    """Draw the notifications of the group of the alert, the newest first, and what was not delivered."""
    if not found:
        why = f"It is suppressed: {plain(alert.suppressed)}." if alert.suppressed else "No notification is planned yet."
        show_empty("No receiver was notified.", do=f"{why} A pending alert notifies when it fires.")
        return
    for row in (each for each in found if each.status in {"failed", "queued"} and each.error):
        again = "driftd stopped retrying." if row.status == "failed" else f"Next attempt {moment(row.next_attempt_at)}."
        st.warning(
            f"**{plain(row.receiver)}** did not get it: {plain(row.error or '')}. {again}", icon=":material/error:"
        )
    st.dataframe(
        [_row(row) for row in found],
        hide_index=True,
        key="notifications of the alert",
        column_config={"error": st.column_config.TextColumn(width="large")},
    )
    show_downloads(f"notifications of {alert.id}", [row.model_dump(mode="json") for row in found])


def _row(row: NotificationItem) -> dict[str, object]:
    return {
        "receiver": row.receiver,
        "state": STATUS[row.status],
        "sent": "" if row.at is None else moment(row.at),
        "reason": row.reason,
        "planned": moment(row.planned_at),
        "attempts": row.attempt,
        "error": row.error or "",
    }
