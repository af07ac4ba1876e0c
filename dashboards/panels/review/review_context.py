"""What a reviewer sees around a candidate: its reproduction, and the agreement of the reviewers."""

import streamlit as st

from dashboards.formatting import plain
from monitor.api.schema.reviews import CoefficientItem, ReproductionItem, ReviewAgreementItem, ReviewReceipt

LABELS = {
    "reproduced": ":red-badge[:material/replay: reproduced]",
    "flaky": ":orange-badge[:material/replay: flaky]",
    "not_reproduced": ":green-badge[:material/replay: not reproduced]",
    "unscored": ":gray-badge[:material/replay: unscored]",
}
STANDING = {"waiting": "It waits for a second reviewer.", "conflict": "It is in conflict with another reviewer."}
NAMES = {"share": "equal decisions", "kappa": "Cohen's kappa", "ac1": "Gwet's AC1", "alpha": "Krippendorff's alpha"}


def show_reproduction(found: ReproductionItem) -> None:
    """Show whether the current version fails on the candidate too. Without a result, show nothing."""
    if found.label is None:
        return
    share = "no reply has a verdict"
    if found.low is not None and found.high is not None:
        share = f"{found.failures} of {found.scored} replies fail ({100 * found.low:.0f} to {100 * found.high:.0f} %)"
    st.markdown(f"{LABELS[found.label]} :gray[current version:] {share}")


def receipt_news(done: str, receipt: ReviewReceipt) -> str:
    """Return the result of a review, with what the review was blind to."""
    news = [done, STANDING.get(receipt.standing, "")]
    known = receipt.sheet.revealed
    if known is not None:
        news.append(f"Model {known.model or 'unknown'}, corrected by {known.source}.")
        others = [f"{each.reviewer}: {each.action}" for each in known.reviews if each.id != receipt.review_id]
        news.append("Other reviews: " + ", ".join(others) + "." if others else "")
    return " ".join(plain(each) for each in news if each)


def show_agreement(found: ReviewAgreementItem) -> None:
    """Show how many candidates were reviewed twice, and how often the reviewers agree."""
    with st.expander(f"Agreement of reviewers: {found.twice} of {found.reviewed} reviewed twice"):
        if not found.pairs:
            st.caption("No blind second review yet: run `driftd review --second`.")
            return
        rows = [
            {"agreement": name, "value": _number(item.value), "95 % interval": _interval(item)}
            for field, name in NAMES.items()
            if isinstance(item := getattr(found, field), CoefficientItem)
        ]
        st.dataframe(rows, hide_index=True, alt="Agreement of two reviewers about accept or reject")
        st.caption(f"{found.pairs} pairs with a blind second review; {found.not_blind} others are left out.")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _interval(item: CoefficientItem) -> str:
    return "–" if item.low is None or item.high is None else f"{item.low:.2f} to {item.high:.2f}"
