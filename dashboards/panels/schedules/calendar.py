"""The calendar of replays: the past runs with their verdicts, and the planned ones."""

from collections.abc import Iterator, Sequence

import streamlit as st

from dashboards.charts.calendar import CalendarMark, calendar_chart, colour_of, states_of
from dashboards.charts.draw import draw_chart
from dashboards.downloads import show_downloads
from dashboards.formatting import percent
from dashboards.times import moment
from monitor.api.schema import PreviewItem, RunItem

PAST_DAYS = 14
GLYPHS = {  # the shapes of the chart as characters, for its legend
    "ok": "●",
    "improvement": "▲",
    "regression": "▼",
    "insufficient": "◆",
    "no verdict": "◢",
    "failed": "✚",
    "running": "▶",
    "planned": "■",
}
RUNS = ("planned", "postponed")  # states of a planned time that runs


def show_calendar(runs: Sequence[RunItem], preview: PreviewItem) -> None:
    """Show the runs of the last days, and what the schedules run next."""
    marks = [*(_past(run) for run in runs), *_planned(preview)]
    if not marks:
        st.caption("No replay ran in this period, and no schedule plans one.")
        return
    entries = "".join(
        f'<span><span style="color:{colour_of(state)}">{GLYPHS[state]}</span> {state}</span>'
        for state in states_of(marks)
    )
    st.html(f'<div style="display:flex;flex-wrap:wrap;gap:0.2rem 1rem;font-size:0.85rem">{entries}</div>')
    draw_chart(calendar_chart(marks, preview.since))
    rows = [
        {"at": moment(mark.at), "set": mark.row, "state": mark.state, "detail": mark.detail}
        for mark in sorted(marks, key=lambda mark: mark.at, reverse=True)
    ]
    with st.expander("As a table"):
        st.dataframe(rows, hide_index=True)
    show_downloads("replays", rows)


def _past(run: RunItem) -> CalendarMark:
    cost = "unknown cost" if run.cost_usd is None else f"{run.cost_usd:.2f} USD"
    return CalendarMark(
        at=run.started_at or run.planned_at,
        row=f"{run.deployment}: {run.set_name}",
        state=_state(run),
        detail=f"{run.trigger}, {run.state}, {percent(run.pass_rate)} of {run.scored} passed, {cost}",
    )


def _state(run: RunItem) -> str:
    if run.state in {"planned", "running", "waiting"}:
        return "planned" if run.state == "planned" else "running"
    if run.state in {"failed", "cancelled"}:
        return "failed" if run.state == "failed" else "no verdict"
    verdict = "regression" if run.verdict == "drift" else run.verdict
    return verdict or "no verdict"


def _planned(preview: PreviewItem) -> Iterator[CalendarMark]:
    for one in preview.occasions:
        if one.state not in RUNS:
            continue
        for each in preview.forecasts:
            if each.deployment == one.deployment and each.refused is None:
                detail = f"{one.state}, schedule {one.schedule}, about {each.calls:,} calls"
                row = f"{each.deployment}: {each.set_name}"
                yield CalendarMark(at=one.at, row=row, state="planned", detail=detail)
