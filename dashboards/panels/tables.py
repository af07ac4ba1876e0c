"""The tables of a deployment: its runs, its changes and its alerts."""

from collections.abc import Sequence

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import NO_DATA, about, percent
from dashboards.intervals import rate_interval
from dashboards.markers import describe_change
from dashboards.set_status import happened_at
from dashboards.snapshot import Snapshot
from dashboards.times import moment
from monitor.api.schema import AlertItem, ChangeItem, RunItem

MOST_RUNS = 50


def show_runs(snapshot: Snapshot, runs: Sequence[RunItem]) -> None:
    if not runs:
        st.caption("No run in this period.")
        return
    verdicts = {finding.candidate_run: finding for finding in snapshot.findings}
    rows = []
    for run in runs[:MOST_RUNS]:
        finding = verdicts.get(run.id)
        rows.append(
            {
                "started": moment(happened_at(run)),
                "set": run.set_name,
                "kind": run.set_kind,
                "trigger": run.trigger,
                "version": run.version_label or run.version or "unknown",
                "state": run.state,
                "scored": f"{run.scored} of {run.cases}",
                "pass rate": percent(run.pass_rate),
                "95 % interval": _interval(run),
                "verdict": finding.verdict if finding is not None else NO_DATA,
                "reason": finding.reason if finding is not None else run.error or "",
                "run": run.id,
            }
        )
    widths = {"verdict": 110, "reason": 420}  # the default widths cut off `improvement`
    columns = {name: st.column_config.TextColumn(width=width) for name, width in widths.items()}
    st.dataframe(rows, hide_index=True, column_config=columns)
    if len(runs) > MOST_RUNS:
        st.caption(f"Newest {MOST_RUNS} of {len(runs)} runs in this period.")
    show_downloads("runs", rows)


def show_changes(snapshot: Snapshot, changes: Sequence[ChangeItem]) -> None:
    if not changes:
        st.caption("No change of version in this period.")
        return
    rows = [
        {
            "took effect": moment(change.at),
            "recorded": moment(change.noted_at),
            "change": describe_change(snapshot, change),
            "kind": change.kind,
            "source": change.how,
        }
        for change in changes
    ]
    st.dataframe(rows, hide_index=True, column_config={"change": st.column_config.TextColumn(width="large")})
    show_downloads("changes", rows)


def show_alerts(alerts: Sequence[AlertItem]) -> None:
    """Show the alerts; a selected row opens the page of the alert."""
    if not alerts:
        st.caption("This deployment has had no alert.")
        return
    rows = [_alert_row(alert) for alert in alerts]
    st.caption("Select a row to open the alert.")
    chosen = st.dataframe(
        rows,
        hide_index=True,
        column_config={"summary": st.column_config.TextColumn(width="large")},
        on_select="rerun",
        selection_mode="single-row",
        key="alerts of the deployment",
    )
    show_downloads("alerts", rows)
    if chosen.selection.rows:
        st.switch_page("screens/alerts.py", query_params={"alert": alerts[chosen.selection.rows[0]].id})


def _alert_row(alert: AlertItem) -> dict[str, object]:
    accepted = alert.acceptance
    return {
        "pending since": moment(alert.pending_since),
        "fired": moment(alert.fired_at),
        "resolved": moment(alert.resolved_at),
        "subject": about(alert),
        "state": "accepted" if accepted is not None else alert.state,
        "severity": alert.severity,
        "accepted by": accepted.by if accepted is not None else "",
        "reason": accepted.reason if accepted is not None else "",
        "summary": alert.summary,
    }


def _interval(run: RunItem) -> str:
    interval = rate_interval(run.passed, run.scored)
    return NO_DATA if interval is None else f"{percent(interval.low)} to {percent(interval.high)}"
