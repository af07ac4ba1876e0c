"""Review of judged outcomes: people judge a batch without the verdicts of the judge, then see the agreement."""

from dataclasses import dataclass, field

import streamlit as st

from dashboards.actions import may
from dashboards.client import Client, DaemonRefusal
from dashboards.formatting import count, plain
from dashboards.panels.empty import show_empty
from dashboards.panels.judges.judge_list import badge_of, place_of
from dashboards.panels.review.outcome_view import show_agreement_of, show_form, show_outcome
from dashboards.requests import judges as requests
from dashboards.requests.judges import Place
from monitor.api.schema import CallerItem, JudgeItem, OutcomeToReview, ReviewedOutcome, ReviewOutcome, ReviewSample

BATCH = 10
BATCH_KEY = "batch of outcomes"


@dataclass(slots=True)
class Batch:
    """The outcomes that a person reviews now, kept for this browser session only: revealed texts are read once."""

    place: Place
    user: str | None
    sample: ReviewSample
    revealed: bool
    next: int = 0
    made: list[tuple[OutcomeToReview, ReviewedOutcome]] = field(default_factory=list)

    @property
    def current(self) -> OutcomeToReview | None:
        return self.sample.items[self.next] if self.next < len(self.sample.items) else None


def show_outcomes(client: Client, who: CallerItem, user: str | None) -> None:
    """Draw the choice of a judge, and its batch."""
    found = requests.judges(client)
    if not found:
        show_empty(
            "No judge has graded an outcome yet.",
            do="Outcomes are reviewed to measure a judge. Scores that come from rules need no review. To use a judge, "
            "add a scorer of the kind `rubric` to a set (docs/judges.md) and replay the set.",
        )
        return
    place = place_of(_choose(found))
    st.page_link("screens/judges.py", label="The judge", icon=":material/gavel:", query_params=place.link)
    allowed = may(who, requests.REVIEW, "review outcomes")
    batch = _batch(client, place, user)
    if batch.current is not None:  # the standing before the batch: a newer one would show each agreement
        st.markdown(f"{badge_of(batch.sample.state)} &nbsp; {plain(batch.sample.reason)}")
    if not batch.sample.items:
        show_empty("No outcome waits for your review.", do="You reviewed every stored outcome of this judge.")
    elif batch.sample.sealed and not batch.revealed:
        _show_reveal(client, who, batch)
    elif batch.current is None:
        _show_end(batch)
    else:
        _show_current(client, batch, batch.current, allowed=allowed)


def _choose(found: list[JudgeItem]) -> JudgeItem:
    """Return the judge of the address, else the first one that is not validated; write it into the address."""
    ordered = sorted(found, key=lambda row: (row.state == "validated", row.deployment, row.set_name, row.scorer))
    links = [place_of(row).link for row in ordered]
    linked = {name: st.query_params.get(name, "") for name in ("deployment", "set", "scorer")}
    chosen = st.selectbox(
        "Judge",
        range(len(ordered)),
        index=links.index(linked) if linked in links else 0,
        format_func=lambda at: f"{ordered[at].scorer} · {ordered[at].set_name} · {ordered[at].deployment}",
        key="judge of outcomes",
    )
    st.query_params.update(links[chosen])
    return ordered[chosen]


def _batch(client: Client, place: Place, user: str | None) -> Batch:
    """Return the batch of this session; a new one for another judge or another person."""
    batch: Batch | None = st.session_state.get(BATCH_KEY)
    if batch is None or (batch.place, batch.user) != (place, user):
        sample = requests.sample(client, place, count=BATCH, reveal=False, user=user)
        batch = st.session_state[BATCH_KEY] = Batch(place=place, user=user, sample=sample, revealed=False)
    return batch


def _show_reveal(client: Client, who: CallerItem, batch: Batch) -> None:
    """Draw the button that reads the sealed texts of the batch. The daemon logs the access."""
    st.info("This set is sealed: the texts are shown with the role `reveal` only.", icon=":material/lock:")
    allowed = may(who, requests.REVEAL, "read sealed outcomes")
    st.caption(f"The access is logged under the name {plain(who.name)}, with the ids of the cases.")
    outcomes = count(len(batch.sample.items), "outcome")
    if st.button(f"Reveal {outcomes} (logged)", icon=":material/lock_open:", disabled=not allowed):
        sample = requests.sample(client, batch.place, count=BATCH, reveal=True, user=batch.user)
        st.session_state[BATCH_KEY] = Batch(place=batch.place, user=batch.user, sample=sample, revealed=True)
        st.rerun()


def _show_current(client: Client, batch: Batch, item: OutcomeToReview, *, allowed: bool) -> None:
    of = len(batch.sample.items)
    st.progress(batch.next / of, text=f"Outcome {batch.next + 1} of {of}. The verdicts of the judge follow at the end.")
    texts, form = st.columns([3, 2], gap="medium")
    with texts:
        show_outcome(batch.sample, item)
    with form:
        decided = show_form(batch.sample, item, allowed=allowed)
    if decided == "skip":
        batch.next += 1
        st.rerun()
    elif decided == "end":
        batch.next = of
        st.rerun()
    elif decided is not None:
        _send(client, batch, item, decided)


def _send(client: Client, batch: Batch, item: OutcomeToReview, order: ReviewOutcome) -> None:
    try:
        made = requests.review(client, order, batch.user)
    except DaemonRefusal as refused:
        st.error(f"Not saved: {plain(str(refused))}", icon=":material/error:")
        return
    batch.made.append((item, made))
    batch.next += 1
    st.toast("Saved", icon=":material/check:")
    st.rerun()


def _show_end(batch: Batch) -> None:
    """Show the agreement on this batch, and offer the next one."""
    show_agreement_of(batch.place, batch.made)
    if st.button("Next batch", icon=":material/skip_next:", type="primary", shortcut="Alt+N"):
        del st.session_state[BATCH_KEY]
        st.rerun()
