"""Review: what users corrected, one by one, before it becomes a case of the dynamic set."""

import streamlit as st

from dashboards.client import DaemonError, DaemonRefusal
from dashboards.live import connection_now
from dashboards.panels.candidate_view import show_candidate, show_log
from dashboards.panels.review_form import show_form
from dashboards.panels.review_queue import choose_filters, pick_candidate, skip
from dashboards.reviewing import candidate_now, deployments_now, send_order, sender_now
from dashboards.words import plain
from monitor.api.schema import CallerItem, CandidateDetail, ReviewCandidate

ROLE = "review"
DRAWN = "candidate as the form was drawn"
DONE = {"accept": "Accepted: it enters the set with the next scheduled replay", "edit": "Saved", "reject": "Rejected"}


def show() -> None:
    """Draw the page when it is opened and after each action, never by a timer: that would discard typed text."""
    st.title("Review", anchor=False)
    try:
        _show_page()
    except DaemonError as error:
        st.error(f"**The candidates cannot be shown.** {plain(str(error))}", icon=":material/cloud_off:")


def _show_page() -> None:
    who, deployments = sender_now(), deployments_now()
    told, name = st.columns([4, 1], vertical_alignment="bottom")
    told.caption(
        f"`{connection_now().url}` · What users corrected becomes a case of the dynamic set once somebody accepts it. "
        "All times in UTC."
    )
    name.text_input("Your name", key="reviewer", placeholder="for the review log", max_chars=100)
    may_review = _say_who(who)
    narrowed = choose_filters(deployments, st.query_params.get("deployment"))
    picked = pick_candidate(narrowed, st.query_params.get("candidate"))
    _show_news()
    if picked is None:
        return
    found = candidate_now(picked)
    logged, case = st.columns([3, 2], gap="medium")
    with logged:
        show_candidate(found)
        show_log(found)
    with case:
        if found.obstacle is not None and found.state == "proposed":
            st.warning(f"It cannot be accepted as it is: {plain(found.obstacle)}.", icon=":material/edit_note:")
        # The form stays as drawn: an order must not be lost when another reviewer was quicker.
        drawn: CandidateDetail = st.session_state.setdefault(DRAWN, found)
        if drawn.id != found.id:
            drawn = st.session_state[DRAWN] = found
        order, skipped = show_form(drawn, may_review=may_review)
    if skipped:
        skip(found.id)
        _leave(None)
    if order is not None:
        _send(found.id, order)
    elif drawn.revision != found.revision:
        _leave(("error", "This candidate was changed meanwhile; it is shown as it is now."), stay=True)


def _say_who(who: CallerItem) -> bool:
    """Whether the dashboard's token may decide; where it may not, the page says so."""
    if ROLE in who.roles:
        return True
    st.warning(
        f"The token of this dashboard ({plain(who.name)}) lacks the role `{ROLE}`: candidates can be read, and not "
        "decided. Start the dashboard with a token that has the roles `read` and `review`.",
        icon=":material/lock:",
    )
    return False


def _send(candidate_id: str, order: ReviewCandidate) -> None:
    try:
        send_order(candidate_id, order, st.session_state.get("reviewer") or None)
    except DaemonRefusal as refused:
        if refused.conflict:
            _leave(("error", f"Somebody was quicker. {refused}"))
        st.error(f"Not done: {plain(str(refused))}", icon=":material/error:")
        return
    _leave(("success", DONE[order.action]))


def _leave(news: tuple[str, str] | None, *, stay: bool = False) -> None:
    """Draw the page again, with what came of it; a linked candidate is not asked for again unless we `stay`."""
    st.session_state["review news"] = news
    st.session_state.pop(DRAWN, None)
    if "candidate" in st.query_params and not stay:
        del st.query_params["candidate"]
    st.rerun()


def _show_news() -> None:
    news = st.session_state.pop("review news", None)
    if news is None:
        return
    kind, sentence = news
    if kind == "success":
        st.toast(sentence, icon=":material/check:")
    else:
        st.error(plain(sentence), icon=":material/error:")


show()
