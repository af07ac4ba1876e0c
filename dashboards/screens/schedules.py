"""Schedules: when replays run, what they will cost, and the pause of each schedule."""

from datetime import timedelta

import streamlit as st

from dashboards.actions import order, show_news
from dashboards.client import Client, DaemonError
from dashboards.formatting import count, plain
from dashboards.live import connection_now
from dashboards.panels.preview_table import show_preview
from dashboards.panels.schedules.calendar import PAST_DAYS, show_calendar
from dashboards.panels.schedules.costs import show_costs, show_spent
from dashboards.requests import system
from dashboards.times import moment, zone_name
from monitor.api.schema import CallerItem, PauseSchedule, RunItem, ScheduleItem

ROLE = "operate"
DAYS = 7
MOST_RUNS = 1_000  # of the calendar
LENGTHS = {
    "until a person resumes it": None,
    "4 hours": timedelta(hours=4),
    "1 day": timedelta(days=1),
    "3 days": timedelta(days=3),
    "7 days": timedelta(days=7),
}


def show() -> None:
    """Draw the page when it is opened and after each action, without a timer: a timer would discard typed text."""
    st.title("Schedules", anchor=False)
    try:
        with connection_now().open() as client:
            _show_page(client)
    except DaemonError as error:
        st.error(f"**The schedules cannot be shown.** {plain(str(error))}", icon=":material/cloud_off:")


def _show_page(client: Client) -> None:
    found, who = client.schedules(), client.sender()
    head, name = st.columns([4, 1], vertical_alignment="bottom")
    head.caption(
        f"`{connection_now().url}` · {count(len(found), 'schedule')} · times in {zone_name()} where no zone is named"
    )
    user = name.text_input("Your name", key="operator", placeholder="stored with a pause", max_chars=100) or None
    may_operate = _check_role(who)
    show_news()
    if not found:
        st.caption("No schedule is configured; add one under `schedules` in the configuration of the daemon.")
        return
    for item in found:
        with st.container(border=True):
            _show_schedule(item)
            if may_operate:
                _show_controls(client, item, user)
    preview = client.preview(DAYS)
    st.subheader("Calendar", anchor=False)
    since = preview.since - timedelta(days=PAST_DAYS)
    runs = client.items("runs", RunItem, most=MOST_RUNS, since=since)
    show_calendar(runs, preview)
    st.subheader("Costs and budgets", anchor=False)
    show_spent(runs, PAST_DAYS)
    show_costs(system.budgets(client))
    st.subheader(f"The next {DAYS} days", anchor=False)
    show_preview(preview, DAYS)


def _check_role(who: CallerItem) -> bool:
    """Return whether the token of the dashboard may pause, resume and run; show a warning when it may not."""
    if ROLE in who.roles:
        return True
    st.warning(
        f"The token of this dashboard ({plain(who.name)}) lacks the role `{ROLE}`: you can read schedules but not "
        "pause or run them. Start the dashboard with a token that has the roles `read` and `operate`.",
        icon=":material/lock:",
    )
    return False


def _show_schedule(item: ScheduleItem) -> None:
    state = ":green-badge[active]" if item.pause is None else ":orange-badge[paused]"
    st.markdown(f"**{plain(item.name)}** {state}")
    st.caption(" · ".join([_when(item), *([_blackouts(item)] if item.blackouts else [])]))
    if item.pause is not None:
        until = "until a person resumes it" if item.pause.until is None else f"until {moment(item.pause.until)}"
        why = f": {plain(item.pause.reason)}" if item.pause.reason else ""
        st.markdown(f"Paused by {plain(item.pause.paused_by)} at {moment(item.pause.paused_at)}, {until}{why}")
    for each in item.next:
        known = each.local is None or each.at is None or moment(each.at) == each.local
        local = "" if known else f" ({each.local} {plain(item.timezone)})"
        following = "none" if each.at is None else f"{moment(each.at)}{local}"
        st.markdown(f":gray[{plain(each.deployment)}, next] {following}")


def _when(item: ScheduleItem) -> str:
    when = f"cron `{item.cron}`" if item.cron is not None else f"every {(item.every_s or 0.0) / 3600:g} hours"
    jitter = f", jitter up to {item.jitter_s:.0f} s" if item.jitter_s else ""
    return f"{when}, {plain(item.timezone)}{jitter}"


def _blackouts(item: ScheduleItem) -> str:
    windows = (
        f"{plain(each.name)} ({'every day' if len(each.days) == 7 else ', '.join(each.days)} "
        f"{each.start} to {each.end} {plain(each.timezone)})"
        for each in item.blackouts
    )
    return f"blackouts, {item.in_blackout}: {'; '.join(windows)}"


def _show_controls(client: Client, item: ScheduleItem, user: str | None) -> None:
    pause, run = st.columns([4, 1], vertical_alignment="bottom")
    with pause:
        if item.pause is not None:
            if st.button("Resume", icon=":material/play_arrow:", key=f"resume {item.name}"):
                order(lambda: client.resume_schedule(item.name, user), f"Schedule {item.name} is active again")
        else:
            _show_pause(client, item, user)
    with run.popover("Run now", icon=":material/bolt:"):
        st.caption("Start every set of its deployments now. The plan of the schedule does not change.")
        if st.button("Start the runs", key=f"run {item.name}"):
            order(lambda: client.run_schedule(item.name, user), f"The runs of {item.name} are planned")


def _show_pause(client: Client, item: ScheduleItem, user: str | None) -> None:
    with st.form(f"pause {item.name}", border=False):
        length, reason, button = st.columns([2, 3, 1], vertical_alignment="bottom")
        chosen = length.selectbox("Pause", list(LENGTHS), key=f"length {item.name}")
        why = reason.text_input("Reason", key=f"reason {item.name}", placeholder="optional", max_chars=500)
        pressed = button.form_submit_button("Pause", icon=":material/pause:", key=f"pause {item.name}")
    if pressed:
        lasts = LENGTHS[chosen]
        until = None if lasts is None else client.status().now + lasts
        pause = PauseSchedule(until=until, reason=why.strip() or None)
        order(lambda: client.pause_schedule(item.name, pause, user), f"Schedule {item.name} is paused")


show()
