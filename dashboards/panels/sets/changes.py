"""What entered a set and what left it: its revisions, and the refreshes of a dynamic set."""

from collections.abc import Sequence

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import count, plain
from dashboards.linked_choice import linked_select
from dashboards.panels.case_links import show_cases_link
from dashboards.requests import sets as requests
from dashboards.times import moment
from monitor.api.schema import RefreshItem, SetDiff, SetItem

LISTED = 30
SHORT = 12  # characters of a revision in the address


def show_changes(revisions: Sequence[SetItem], refreshes: Sequence[RefreshItem], deployment: str | None) -> None:
    """Draw the newest revisions with the cases that entered, left and changed; refreshes have reasons too."""
    by_revision = {row.revision: row for row in refreshes}
    known = {item.revision[:SHORT]: item for item in revisions[:LISTED]}
    opened = linked_select(
        st.container(), "Revision", list(known), name="revision", format_func=lambda name: _title(known[name])
    )
    item = known[opened]
    refresh = by_revision.get(item.revision)
    if refresh is not None:
        _show_refresh(refresh, deployment)
    elif item.parent is None:
        st.caption(f"The first revision: {count(item.cases, 'case')} entered, from {plain(item.origin)}.")
    elif item.parent not in {one.revision for one in revisions}:
        st.caption("The revision before it is no longer stored, so the change is unknown.")
    else:
        _show_difference(requests.diff(item.name, item.parent, item.revision), item, deployment)
    show_downloads("revisions", [item.model_dump(mode="json") for item in revisions])


def _title(item: SetItem) -> str:
    return f"{moment(item.created_at)} · {count(item.cases, 'case')} · {plain(item.origin)}"


def _show_difference(found: SetDiff, item: SetItem, deployment: str | None) -> None:
    st.markdown(
        f"**{len(found.entered)}** entered, **{len(found.left)}** left, **{len(found.changed)}** changed, "
        f"{found.same} stayed. Source of the revision: {plain(item.origin)}."
    )
    rows = [(case, "entered", "") for case in found.entered] + [(case, "left", "") for case in found.left]
    rows += [(case, "changed", ", ".join(fields)) for case, fields in found.changed.items()]
    _show_rows(rows, item.name, deployment)


def _show_rows(rows: Sequence[tuple[str, str, str]], set_name: str, deployment: str | None) -> None:
    """Draw one row a case, and links to the cases, whose page names their candidate and their graduation."""
    if not rows:
        return
    st.dataframe(
        [{"case": case, "change": change, "reason or fields": reason} for case, change, reason in rows],
        hide_index=True,
        alt="Cases that entered, left or changed",
    )
    entered = [case for case, change, _ in rows if change == "entered"]
    if deployment is None or not entered:
        return
    with st.expander(f"Open a case that entered, with its candidate and its results: {count(len(entered), 'case')}"):
        for case in entered[:LISTED]:
            show_cases_link(case, deployment, set_name, case=case)
        st.page_link(
            "screens/review.py",
            label="Candidates of this deployment",
            icon=":material/rate_review:",
            query_params={"deployment": deployment},
        )


def _show_refresh(found: RefreshItem, deployment: str | None) -> None:
    st.markdown(f"**{len(found.entered)}** entered, **{len(found.left)}** left, {found.carried} stayed. A refresh.")
    rows = [(case, "entered", "") for case in found.entered]
    rows += [(case, "left", reason) for case, reason in found.left.items()]
    rows += [(case, "replaced", "a newer version of the case") for case in found.replaced]
    _show_rows(rows, found.set_name, deployment)
    for reason, number in found.excluded.items():
        st.caption(f"{count(number, 'accepted case')} stayed out: {plain(reason)}")
