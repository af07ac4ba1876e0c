"""The standing of a judge: what it may do, what is missing, and what to do next."""

import streamlit as st

from dashboards.formatting import count, plain
from dashboards.panels.judges.judge_list import badge_of, estimate, model_of, share
from dashboards.requests.judges import Place
from monitor.api.schema import JudgeDetail
from monitor.api.schema.judge_history import JudgeHistoryItem

MEANING = {
    "validated": "Its verdicts agree with people well enough. Findings that rest on it alone may page.",
    "unvalidated": "Its agreement with people is not known well enough. Findings that rest on it alone are stored and "
    "shown, and do not page.",
    "drifted": "Its verdicts on fixed replies changed. Findings that rest on it alone do not page until a person "
    "accepts the new verdicts, or the judge is replaced.",
}


def show_standing(found: JudgeDetail, needed: JudgeHistoryItem, place: Place) -> None:
    """Draw the standing with its reason, the requirement, the next step and the agreement in numbers."""
    with st.container(border=True):
        st.markdown(f"{badge_of(found.state)} &nbsp; **{plain(model_of(found))}**")
        st.markdown(f"{MEANING[found.state]} {plain(found.reason[:1].upper() + found.reason[1:])}.")
        st.caption(
            f"Enough is {needed.needed_reviews} reviewed outcomes, {needed.needed_each} good and {needed.needed_each} "
            f"bad ones among them, and a kappa whose 95 % interval begins at {needed.needed_kappa:g} or higher."
        )
        st.page_link(
            "screens/review.py",
            label="Review its outcomes",
            icon=":material/rate_review:",
            query_params={"queue": "outcomes", **place.link},
        )
    _show_numbers(found)


def _show_numbers(found: JudgeDetail) -> None:
    error = found.error
    measures = {
        "Cohen's kappa, all judged outcomes": estimate(error.kappa if error else None),
        "same verdict as people": share(error.agreement if error else None),
        "good outcomes that it passes (TPR)": share(error.tpr if error else None),
        "bad outcomes that it fails (TNR)": share(error.tnr if error else None),
        "pass rate by people": share(error.pass_rate if error else None),
        "reviewed passes that people confirm": f"{found.right_passes} of {found.reviewed_passes}",
        "reviewed fails that people confirm": f"{found.right_fails} of {found.reviewed_fails}",
    }
    st.markdown("\n".join(f"- {name}: **{value}**" for name, value in measures.items()))
    st.caption("Values in parentheses are 95 % intervals.")
    people = "no person" if not found.people else ", ".join(plain(each) for each in found.people)
    alpha = "unknown" if found.alpha is None else f"{found.alpha:.2f}"
    st.caption(
        f"Reviewed by {people}. Krippendorff's alpha among them: {alpha}, on {count(found.shared, 'outcome')} that two "
        "or more reviewed. A judge cannot agree with people better than they agree with each other."
    )
