"""Cases: the cases of a set over its runs, and one case over versions and repeats."""

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.client import DaemonError, DaemonUnreachable
from dashboards.formatting import plain
from dashboards.linked_choice import linked_select, show_address
from dashboards.live import connection_now, stop
from dashboards.panels.cases.case_list import show_list
from dashboards.panels.cases.one_case import show_case
from dashboards.panels.empty import show_empty
from dashboards.requests.cases import deployments
from dashboards.times import zone_name
from monitor.api.schema import DeploymentItem

RUNS = ["60", "15", "30", "120", "200"]


def show() -> None:
    """Draw the page when it is opened and after each selection, without a timer: a timer would hide revealed text."""
    show_address()
    st.title("Cases", anchor=False)
    st.caption(f"`{connection_now().url}` · times in {zone_name()}")
    try:
        found = [row for row in deployments() if row.sets]
    except DaemonUnreachable as error:
        stop("The daemon cannot be reached", error)
    except DaemonError as error:
        stop("The daemon's answer cannot be shown", error)
    if not found:
        show_empty(
            "No data yet: no deployment with an eval set is configured.",
            do="Add a deployment and a set to the configuration, then start the daemon again.",
            command="driftd check",
        )
        return
    deployment, set_name, runs = _choose(found)
    try:
        _show(deployment, set_name, runs)
    except DaemonError as error:
        st.warning(f"The cases of {plain(set_name)} cannot be shown: {plain(str(error))}")


def _choose(found: list[DeploymentItem]) -> tuple[str, str, str]:
    """Draw the choice of the deployment, the set and the number of runs."""
    left, middle, right = st.columns([3, 3, 2])
    names = [row.name for row in found]
    deployment = linked_select(left, "Deployment", names, name="deployment")
    sets = next(row.sets for row in found if row.name == deployment)
    set_name = linked_select(middle, "Eval set", sets, name="set")
    keep_in_address(deployment=deployment, set=set_name)
    runs = linked_select(right, "Newest runs", RUNS, name="runs")
    return deployment, set_name, runs


def _show(deployment: str, set_name: str, runs: str) -> None:
    case_id = st.query_params.get("case")
    if case_id is None:
        picked = show_list(deployment, set_name, runs)
        if picked is not None:
            keep_in_address(case=picked, reply=None)
            st.rerun()
        return
    if st.button("All cases", icon=":material/arrow_back:", type="tertiary"):
        keep_in_address(case=None, reply=None)
        st.rerun()
    show_case(deployment, set_name, case_id, runs)


show()
