"""Rescores: stored outcomes that another judge or rubric judged again."""

from collections.abc import Sequence

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import NO_DATA, count, percent, plain
from dashboards.panels.empty import show_empty
from dashboards.panels.judges.judge_list import estimate, share
from dashboards.requests.judges import Place
from dashboards.times import moment
from monitor.api.schema import RescoreAgreementItem, RescoreDetail, RescoreItem

PAGE = "screens/judges.py"
DRAWN = 20


def show_rescores(found: Sequence[RescoreItem], place: Place) -> None:
    """Draw the rescores of a judge, each with its link."""
    if not found:
        show_empty(
            "No rescore yet.",
            do="A rescore compares this judge with another one, or with another rubric, on stored replies:",
            command=f"driftd rescore RUN --scorer {place.scorer} --judge OTHER",
        )
    for row in found[:DRAWN]:
        changed = ", ".join(f"{name} {value}" for name, value in row.overrides.items()) or "the same judge"
        st.page_link(
            PAGE,
            label=f"{moment(row.at)} · {plain(changed)[:120]} · {row.state}",
            icon=":material/replay:",
            query_params={**place.link, "rescore": row.id},
        )
    show_downloads(f"rescores of {place.scorer}", [row.model_dump(mode="json") for row in found])


def show_rescore(found: RescoreDetail) -> None:
    """Draw the agreement of one rescore with the stored scores, and the verdicts that changed."""
    st.markdown(f"**Rescore of run {plain(found.run_id)}** by {plain(found.who)}, {moment(found.at)}: {found.state}")
    if found.error is not None:
        st.warning(plain(found.error), icon=":material/error:")
    st.caption(f"{found.judged} judged, {found.waiting} waiting. Models: {plain(', '.join(found.models) or NO_DATA)}.")
    if found.metrics:
        st.dataframe([_metric(row) for row in found.metrics], hide_index=True, key="agreement of the rescore")
    if found.changed:
        more = " (the first ones)" if found.more_changed else ""
        st.caption(f"{count(len(found.changed), 'changed verdict')}{more}")
        rows = [row.model_dump(mode="json") for row in found.changed]
        st.dataframe(rows, hide_index=True, key="changed verdicts")
        show_downloads(f"changed verdicts of {found.id}", rows)


def _metric(row: RescoreAgreementItem) -> dict[str, object]:
    return {
        "metric": row.metric,
        "samples": row.n,
        "old mean": percent(row.old_mean),
        "new mean": percent(row.new_mean),
        "to pass": row.to_pass,
        "to fail": row.to_fail,
        "same verdict (95 % interval)": share(row.agreement),
        "kappa (95 % interval)": estimate(row.kappa),
    }
