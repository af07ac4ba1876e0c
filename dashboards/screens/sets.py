"""Sets: what each set measures, whether it is still fit for it, what it can prove, and how it changed."""

import streamlit as st

from dashboards.client import DaemonError
from dashboards.formatting import count, plain
from dashboards.linked_choice import linked_select, show_address
from dashboards.live import connection_now
from dashboards.panels.alerts.part import part
from dashboards.panels.badge import kind_badge
from dashboards.panels.case_links import show_cases_link
from dashboards.panels.empty import show_empty
from dashboards.panels.sets.changes import show_changes
from dashboards.panels.sets.condition import show_concerns, show_condition
from dashboards.panels.sets.over_time import show_over_time
from dashboards.panels.sets.set_list import SetRow, set_rows, show_sets
from dashboards.panels.sets.size import show_size
from dashboards.requests import sets as requests
from dashboards.times import moment, zone_name
from monitor.api.schema import SetItem

PAGE = "screens/sets.py"


def show() -> None:
    """Draw the page when it is opened and after each selection, without a timer."""
    show_address()
    name = st.query_params.get("set")
    st.title("Set" if name else "Sets", anchor=False)
    try:
        st.caption(f"`{connection_now().url}` · times in {zone_name()}")
        _show_page(requests.revisions(), name)
    except DaemonError as error:
        st.error(f"**The sets cannot be shown.** {plain(str(error))}", icon=":material/cloud_off:")


def _show_page(revisions: list[SetItem], name: str | None) -> None:
    if not revisions:
        show_empty(
            "No set has cases yet.",
            do="Write cases of your own product and import them (docs/first-private-eval.md):",
            command="driftd sets new cases.yaml",
        )
        return
    rows = set_rows(revisions, requests.overview(), requests.states())
    if name is None:
        show_sets(rows)
        return
    st.page_link(PAGE, label="All sets", icon=":material/arrow_back:")
    row = next((row for row in rows if row.item.name == name), None)
    if row is None:
        show_empty(f"The set {plain(name)} has no cases.", do="Import cases into it, or open another set.")
        return
    _show_one(row, [item for item in revisions if item.name == name])


def _show_one(row: SetRow, revisions: list[SetItem]) -> None:
    item = row.item
    st.markdown(f"### {plain(item.name)} &nbsp; {kind_badge(item.kind)}")
    if item.measures:
        st.markdown(f"**Measures:** {plain(item.measures)}")
    else:
        st.caption(f"What it measures is not described: set `sets.{plain(item.name)}.measures` in the configuration.")
    sealed = ", sealed" if item.sealed else ""
    st.caption(f"{count(item.cases, 'case')}{sealed}, revision {item.revision[:12]} of {moment(item.created_at)}.")
    users = [row.name for row in requests.deployments() if item.name in row.sets]
    if not users:
        st.info("No deployment replays this set. Add it to `deployments.NAME.sets`.", icon=":material/info:")
    deployment = linked_select(st.container(), "Deployment", users, name="deployment") if users else None
    if deployment is not None:
        show_cases_link("All cases of this set", deployment, item.name)
    with part("Condition"):
        found = requests.health(item.name, deployment)
        show_concerns(found)
        show_condition(found, deployment or "")
    with part("Condition over time"):
        show_over_time(requests.health_days(item.name, deployment), item.name)
    if deployment is not None:
        with part("Smallest detectable effect"):
            show_size(requests.noise(deployment, item.name), deployment, item.name)
    with part("Changes of the set"):
        show_changes(revisions, requests.refreshes(item.name), deployment)


show()
