"""What a person can do about an alert: acknowledge, resolve, judge and silence it."""

from collections.abc import Callable
from datetime import timedelta

import streamlit as st

from dashboards import alert_requests as requests
from dashboards.client import Client, DaemonRefusal
from dashboards.formatting import count, plain
from dashboards.times import moment
from monitor.api.schema import AlertItem, CallerItem, JudgeAlert

OPERATE = requests.OPERATE
NEWS = "alert news"
LENGTHS = {"1 hour": 1, "4 hours": 4, "12 hours": 12, "1 day": 24, "3 days": 72, "7 days": 168}
VERDICTS = {
    "true": "It was right: the product got worse.",
    "false": "It was wrong: nothing got worse.",
    "expected": "It was right about a change that was intended.",
}


def may(who: CallerItem, role: str) -> bool:
    """Return whether the token of the dashboard has the role; show a warning when it has not."""
    if role in who.roles:
        return True
    st.warning(
        f"The token of this dashboard ({plain(who.name)}) lacks the role `{role}`: you can read alerts but not steer "
        "them. Start the dashboard with a token that has the roles `read`, `operate` and `review`.",
        icon=":material/lock:",
    )
    return False


def show_actions(client: Client, alert: AlertItem, user: str | None) -> None:
    """Draw the controls of one alert."""
    acknowledge, resolve, judge, silence, rest = st.columns([2, 2, 2, 2, 4])
    with acknowledge:
        _show_acknowledge(client, alert, user)
    if alert.state != "resolved":
        with resolve.popover("Resolve", icon=":material/task_alt:"):
            st.caption("The next bad result opens a new alert.")
            note = st.text_input("Note", key=f"resolve note {alert.id}", max_chars=2000)
            if st.button("Resolve the alert", key=f"resolve {alert.id}"):
                _order(lambda: requests.resolve(client, alert.id, note or None, user), f"Alert {alert.id} is resolved")
    with judge.popover("Judge", icon=":material/gavel:"):
        _show_judge(client, alert, user)
    with silence.popover("Silence", icon=":material/notifications_off:"):
        show_silence_form(client, alert, user)
    if rest.button("Runbook", icon=":material/menu_book:", key=f"runbook {alert.id}"):
        st.query_params.from_dict({"runbook": alert.rule})
        st.rerun()


def _show_acknowledge(client: Client, alert: AlertItem, user: str | None) -> None:
    if alert.state == "resolved":
        return
    if alert.acknowledged_by is not None:
        if st.button("Take back", icon=":material/undo:", key=f"unack {alert.id}"):
            _order(lambda: requests.unacknowledge(client, alert.id, user), f"Alert {alert.id} repeats again")
        return
    if st.button("Acknowledge", icon=":material/front_hand:", key=f"ack {alert.id}", type="primary"):
        _order(lambda: requests.acknowledge(client, alert.id, None, user), f"Alert {alert.id} is acknowledged")


def _show_judge(client: Client, alert: AlertItem, user: str | None) -> None:
    chosen = st.radio(
        "Was the alert right?", list(VERDICTS), key=f"verdict {alert.id}", captions=list(VERDICTS.values())
    )
    note = st.text_input("Note", key=f"verdict note {alert.id}", max_chars=2000)
    if st.button("Store the verdict", key=f"judge {alert.id}"):
        order = JudgeAlert.model_validate({"verdict": chosen, "note": note or None})
        _order(lambda: requests.judge(client, alert.id, order, user), f"Alert {alert.id} is judged {chosen}")


def show_silence_form(client: Client, alert: AlertItem | None, user: str | None) -> None:
    """Draw the form of a new silence, with the open alerts that it would hide."""
    key = "new" if alert is None else alert.id
    named = {} if alert is None else {k: v for k, v in alert.labels.items() if k in {"alertname", "deployment", "set"}}
    default = "\n".join(f'{name}="{value}"' for name, value in named.items())
    text = st.text_area(
        "Matchers, one on each line",
        value=default,
        key=f"matchers {key}",
        help='As in Alertmanager: set="a", set!~"b.*"',
    )
    length = st.selectbox("Length", list(LENGTHS), key=f"length {key}")
    comment = st.text_input("Comment", key=f"comment {key}", max_chars=2000)
    matchers = [line.strip() for line in text.splitlines() if line.strip()]
    if not matchers or not comment.strip():
        st.caption("A silence needs at least one matcher and a comment.")
        return
    order = requests.silence_order(matchers, comment.strip(), client.status().now + timedelta(hours=LENGTHS[length]))
    try:
        hidden = requests.preview_silence(client, order).alerts
    except DaemonRefusal as refused:
        st.error(plain(str(refused)), icon=":material/error:")
        return
    names = ", ".join(f"{plain(one.rule)} of {plain(one.deployment)}" for one in hidden)
    st.caption(f"It hides {count(len(hidden), 'open alert')} now{': ' + names if names else ''}.")
    if st.button("Create the silence", key=f"silence {key}"):
        _order(lambda: requests.create_silence(client, order, user), "The silence is active")


def show_silences(client: Client, user: str | None) -> None:
    """Draw all silences, active ones with a button that ends them."""
    with st.popover("New silence", icon=":material/notifications_off:"):
        show_silence_form(client, None, user)
    found = requests.silences(client)
    if not found:
        st.caption("No silence yet.")
    for item in found:
        text, button = st.columns([6, 1], vertical_alignment="center")
        colour = {"active": "violet", "pending": "blue"}.get(item.state, "gray")
        matchers = ", ".join(plain(matcher) for matcher in item.matchers)
        text.markdown(
            f":{colour}-badge[{item.state}] **{matchers}** · {moment(item.starts_at)} to {moment(item.ends_at)}  \n"
            f"{plain(item.comment)} — {plain(item.created_by)}"
        )
        if item.state != "expired" and button.button("End", key=f"expire {item.id}"):
            _order(lambda silence=item: requests.expire_silence(client, silence.id, user), "The silence has ended")  # type: ignore[misc]


def show_news() -> None:
    news = st.session_state.pop(NEWS, None)
    if news is not None:
        st.success(plain(news), icon=":material/check:")


def _order(send: Callable[[], object], done: str) -> None:
    """Send an order, and draw the page again with its result."""
    try:
        send()
    except DaemonRefusal as refused:
        st.error(f"Not done: {plain(str(refused))}", icon=":material/error:")
        return
    st.session_state[NEWS] = done
    st.rerun()
