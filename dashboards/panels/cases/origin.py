"""Where a case came from, and the variants of it."""

import streamlit as st

from dashboards.formatting import plain
from dashboards.times import moment
from monitor.api.schema.case_histories import CaseHistoryItem, CaseTrendItem


def show_origin(found: CaseHistoryItem) -> None:
    """Draw the candidate that became the case, and the revisions that brought or changed it."""
    st.markdown("**Origin**")
    if found.origin is not None:
        origin = found.origin
        decided = "" if origin.decided_at is None else f", accepted {moment(origin.decided_at)}"
        by = "" if origin.decided_by is None else f" by {plain(origin.decided_by)}"
        st.markdown(
            f"From a correction or a sampled call of {plain(origin.deployment)}, proposed {moment(origin.proposed_at)}"
            f"{decided}{by}; failure category {plain(origin.failure_category)}."
        )
        st.page_link(
            "screens/review.py",
            label="The candidate and its interaction",
            icon=":material/rate_review:",
            query_params={"candidate": origin.candidate_id},
        )
    rows = [
        {
            "at": moment(row.at),
            "what": "entered the set" if row.change == "entered" else "content changed",
            "revision": row.revision[:12],
            "from": row.origin,
            "part": row.part or "",
        }
        for row in found.revisions
    ]
    st.dataframe(rows, hide_index=True, key="revisions of the case")


def show_variants(found: CaseHistoryItem) -> None:
    if not found.variants:
        return
    st.markdown(f"**Variants** :gray[cluster] {plain(found.trend.cluster or '')}")
    st.caption("Paraphrases and formats of the same question. Statistics over cases count the cluster once.")
    for item in found.variants:
        st.page_link(
            "screens/cases.py",
            label=f"{plain(item.case_id)}: {_newest(item)}, failed {item.failed} of {item.runs} runs",
            query_params={"deployment": found.deployment or "", "set": found.set_name, "case": item.case_id},
        )


def _newest(item: CaseTrendItem) -> str:
    return "no score" if item.passed is None else "pass" if item.passed else "fail"
