"""What a person can do about an alert: acknowledge, resolve, judge and silence it."""

import streamlit as st

from dashboards.actions import order
from dashboards.client import Client
from dashboards.formatting import plain
from dashboards.panels.alerts.silences import show_silence_form
from dashboards.requests import alerts as requests
from monitor.api.schema import AlertItem, CallerItem, JudgeAlert

OPERATE, REVIEW = requests.OPERATE, requests.REVIEW
PAGE = "screens/alerts.py"
VERDICTS = {
    "true": "It was right: the product got worse.",
    "false": "It was wrong: nothing got worse.",
    "expected": "It was right about a change that was intended.",
}


def show_missing_roles(who: CallerItem) -> None:
    """Show which actions the token of the dashboard does not allow; nothing when it allows all."""
    needed = {OPERATE: "acknowledge, resolve and silence alerts", REVIEW: "judge alerts"}
    missing = {role: what for role, what in needed.items() if role not in who.roles}
    for role, what in missing.items():
        st.warning(
            f"The token of this dashboard ({plain(who.name)}) lacks the role `{role}`, which is needed to {what}. "
            "These buttons are disabled.",
            icon=":material/lock:",
        )


def show_actions(client: Client, alert: AlertItem, who: CallerItem, user: str | None) -> None:
    """Draw the controls of one alert. Without the role, a control is disabled."""
    operates, reviews = OPERATE in who.roles, REVIEW in who.roles
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if alert.state != "resolved":
            _show_acknowledge(client, alert, user, allowed=operates)
            with st.popover("Silence", icon=":material/notifications_off:", disabled=not operates):
                show_silence_form(client, alert, user, send=order)
        with st.popover("Verdict", icon=":material/gavel:", disabled=not reviews):
            _show_judge(client, alert, user)
        if alert.state != "resolved":
            with st.popover("Resolve", icon=":material/task_alt:", disabled=not operates):
                _show_resolve(client, alert, user)
        st.page_link(PAGE, label="Runbook", icon=":material/menu_book:", query_params={"runbook": alert.rule})


def _show_acknowledge(client: Client, alert: AlertItem, user: str | None, *, allowed: bool) -> None:
    if alert.acknowledged_by is not None:
        if st.button("Take back", icon=":material/undo:", key=f"unack {alert.id}", disabled=not allowed):
            order(lambda: requests.unacknowledge(client, alert.id, user), f"Alert {alert.id} repeats again")
        return
    icon = ":material/front_hand:"
    if st.button("Acknowledge", icon=icon, key=f"ack {alert.id}", type="primary", disabled=not allowed):
        order(lambda: requests.acknowledge(client, alert.id, None, user), f"Alert {alert.id} is acknowledged")


def _show_resolve(client: Client, alert: AlertItem, user: str | None) -> None:
    st.caption("The next bad result opens a new alert.")
    note = st.text_input("Note", key=f"resolve note {alert.id}", max_chars=2000)
    if st.button("Resolve the alert", key=f"resolve {alert.id}"):
        order(lambda: requests.resolve(client, alert.id, note or None, user), f"Alert {alert.id} is resolved")


def _show_judge(client: Client, alert: AlertItem, user: str | None) -> None:
    st.caption("The verdicts of people give the precision of each rule.")
    chosen = st.radio(
        "Was the alert right?", list(VERDICTS), key=f"verdict {alert.id}", captions=list(VERDICTS.values())
    )
    note = st.text_input("Note", key=f"verdict note {alert.id}", max_chars=2000)
    if st.button("Store the verdict", key=f"judge {alert.id}"):
        body = JudgeAlert.model_validate({"verdict": chosen, "note": note or None})
        order(lambda: requests.judge(client, alert.id, body, user), f"Alert {alert.id} is judged {chosen}")
