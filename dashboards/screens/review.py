"""Review: corrections of users before they become cases of the dynamic set, and outcomes that a judge graded."""

import streamlit as st

from dashboards.client import DaemonError, DaemonRefusal
from dashboards.formatting import plain
from dashboards.live import connection_now
from dashboards.panels.review.candidate_view import show_candidate, show_log
from dashboards.panels.review.outcomes import show_outcomes
from dashboards.panels.review.review_context import receipt_news, show_agreement, show_reproduction
from dashboards.panels.review.review_form import show_form
from dashboards.panels.review.review_queue import choose_filters, pick_candidate, skip
from dashboards.reviewing import (
    agreement_now,
    candidate_now,
    deployments_now,
    reproduction_now,
    send_review,
    sender_now,
)
from dashboards.times import zone_name
from monitor.api.schema import CallerItem, CandidateDetail, ReviewCandidate

ROLE = "review"
DRAWN = "candidate as the form was drawn"
QUEUES = {
    "corrections": "A correction becomes a case of the dynamic set when a reviewer accepts it.",
    "outcomes": "People judge replies without the verdict of the judge. Their agreement measures the judge.",
}
DONE = {
    "accept": "Accepted: the case joins the set at the next scheduled replay",
    "edit": "Saved",
    "reject": "Rejected",
}


def show() -> None:
    """Draw the page when it is opened and after each action, without a timer: a timer would discard typed text."""
    st.title("Review", anchor=False)
    try:
        _show_page()
    except DaemonError as error:
        st.error(f"**The queue cannot be shown.** {plain(str(error))}", icon=":material/cloud_off:")


def _show_page() -> None:
    who = sender_now()
    head, name = st.columns([4, 1], vertical_alignment="bottom")
    queue = head.segmented_control(
        "Queue",
        list(QUEUES),
        default="corrections",
        key="queue",
        bind="query-params",
        label_visibility="collapsed",
        required=True,
    )
    head.caption(f"`{connection_now().url}` · {QUEUES[queue or 'corrections']} Times in {zone_name()}.")
    user = name.text_input("Your name", key="reviewer", placeholder="for the review log", max_chars=100) or None
    if queue == "outcomes":
        with connection_now().open() as client:
            show_outcomes(client, who, user)
        return
    _show_corrections(who)


def _show_corrections(who: CallerItem) -> None:
    deployments = deployments_now()
    blind = st.toggle("Blind", value=True, key="blind", help="Hide who corrected and what others did until you decide.")
    may_review = _check_role(who)
    narrowed = choose_filters(deployments, st.query_params.get("deployment"))
    picked = pick_candidate(narrowed, st.query_params.get("candidate"))
    _show_news()
    if picked is None:
        return
    found = candidate_now(picked)
    logged, case = st.columns([3, 2], gap="medium")
    with logged:
        hidden = blind and found.state == "proposed"
        show_candidate(found, blind=hidden)
        show_reproduction(reproduction_now(found.id))
        if not hidden:
            show_log(found)
    with case:
        if found.obstacle is not None and found.state == "proposed":
            st.warning(f"This candidate cannot be accepted yet: {plain(found.obstacle)}.", icon=":material/edit_note:")
        # Keep the form as drawn: typed text must not be lost when another reviewer decides first.
        drawn: CandidateDetail = st.session_state.setdefault(DRAWN, found)
        if drawn.id != found.id:
            drawn = st.session_state[DRAWN] = found
        order, skipped = show_form(drawn, may_review=may_review)
    if skipped:
        skip(found.id)
        _leave(None)
    if order is not None:
        _send(found.id, order, blind=blind)
    elif drawn.revision != found.revision:
        _leave(("error", "Another reviewer changed this candidate; the page shows the current state."), stay=True)
    show_agreement(agreement_now())


def _check_role(who: CallerItem) -> bool:
    """Return whether the token of the dashboard may decide; show a warning when it may not."""
    if ROLE in who.roles:
        return True
    st.warning(
        f"The token of this dashboard ({plain(who.name)}) lacks the role `{ROLE}`: you can read candidates but not "
        "decide. Start the dashboard with a token that has the roles `read` and `review`.",
        icon=":material/lock:",
    )
    return False


def _send(candidate_id: str, order: ReviewCandidate, *, blind: bool) -> None:
    try:
        receipt = send_review(candidate_id, order, st.session_state.get("reviewer") or None, blind=blind)
    except DaemonRefusal as refused:
        if refused.conflict:
            _leave(("error", f"Another reviewer decided first. {refused}"))
        st.error(f"Not saved: {plain(str(refused))}", icon=":material/error:")
        return
    if receipt.standing == "waiting" and order.action != "edit":
        skip(candidate_id)
    _leave(("success", receipt_news(DONE[order.action], receipt)))


def _leave(news: tuple[str, str] | None, *, stay: bool = False) -> None:
    """Draw the page again with the result of the action. Without `stay`, forget the candidate of the link."""
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
