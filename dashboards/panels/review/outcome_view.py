"""One judged outcome for a reviewer, the form of the verdict, and the agreement after a batch."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import count, plain
from dashboards.panels.judges.judge_list import badge_of
from dashboards.panels.text_box import show_style, show_text
from dashboards.requests.judges import Place
from monitor.api.schema import OutcomeToReview, ReviewedOutcome, ReviewOutcome, ReviewSample

NONE = "none of these"
VERDICT = {True: "✓ pass", False: "✗ fail"}


def show_outcome(sample: ReviewSample, item: OutcomeToReview) -> None:
    """Draw the question, the reply and what the reply is judged by."""
    show_style()
    st.markdown(
        f"**{plain(item.case_id)}** &nbsp; :gray[category] {plain(item.category)} &nbsp; :gray[severity] "
        f"{plain(item.severity)}"
    )
    for title, text in (("Question", item.question), ("Reply", item.reply)):
        st.markdown(f"**{title}**")
        if text:
            show_text(st.container(), text)
        else:
            st.caption("The text is not stored any more.")
    for title, text in _criteria(sample, item):
        with st.expander(title, expanded=title != "How the judge grades"):
            show_text(st.container(), text)


def show_form(
    sample: ReviewSample, item: OutcomeToReview, *, allowed: bool
) -> ReviewOutcome | Literal["skip", "end"] | None:
    """Draw the form. Return the verdict, `skip` or `end`; None before a button is pressed."""
    key = f"{item.run_id} {item.case_id} {item.sample}"
    with st.container(border=True):
        st.markdown("**Is this reply good?**")
        failure = st.selectbox("Failure category, if it fails", [NONE, *sample.failure_categories], key=f"why {key}")
        note = "" if sample.sealed else st.text_input("Note", key=f"note {key}", max_chars=2000, placeholder="optional")
        left, right = st.columns(2)
        passed = left.button(
            "Pass", type="primary", icon=":material/check:", shortcut="Alt+P", disabled=not allowed, width="stretch",
            key=f"pass {key}",
        )  # fmt: skip
        failed = right.button(
            "Fail", icon=":material/close:", shortcut="Alt+X", disabled=not allowed, width="stretch", key=f"fail {key}"
        )
        skipped = left.button("Skip", icon=":material/skip_next:", shortcut="Alt+N", width="stretch", key=f"next {key}")
        ended = right.button("End, show agreement", icon=":material/flag:", width="stretch", key=f"end {key}")
        if sample.sealed:
            st.caption("A note on an outcome of a sealed set is not stored, because it may quote the set.")
    if passed or failed:
        return ReviewOutcome(
            run_id=item.run_id,
            case_id=item.case_id,
            sample=item.sample,
            scorer=sample.scorer,
            passes=passed,
            failure_category=None if passed or failure == NONE else failure,
            note=note.strip() or None,
            blind=True,
            sampled=True,
        )
    return "skip" if skipped else "end" if ended else None


def show_agreement_of(place: Place, made: Sequence[tuple[OutcomeToReview, ReviewedOutcome]]) -> None:
    """Show both verdicts of each outcome of the batch, and the standing of the judge after it."""
    if not made:
        st.info("No outcome of this batch was reviewed.")
        return
    agreed = sum(review.agrees for _, review in made)
    newest = made[-1][1]
    st.markdown(f"### The judge agrees with you on {agreed} of {count(len(made), 'outcome')}")
    st.markdown(f"{badge_of(newest.state)} &nbsp; {plain(newest.reason)}")
    rows = [
        {
            "case": item.case_id,
            "sample": item.sample,
            "you": VERDICT[review.passes],
            "the judge": VERDICT[review.judge_passes],
            "equal": "✓" if review.agrees else "✗ no",
        }
        for item, review in made
    ]
    st.dataframe(rows, hide_index=True, key="agreement of the batch", alt="Your verdicts and those of the judge")
    show_downloads(f"reviews of {place.scorer}", rows)


def _criteria(sample: ReviewSample, item: OutcomeToReview) -> list[tuple[str, str]]:
    parts = (
        ("How the judge grades", sample.instructions or ""),
        ("Rubric of the case", item.rubric or ""),
        ("References", "\n".join(item.references or ())),
        ("Must include", "\n".join(item.must_include or ())),
        ("Must not include", "\n".join(item.must_not or ())),
    )
    return [(title, text) for title, text in parts if text]
