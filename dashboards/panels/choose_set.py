"""Selection of a deployment and one of its sets."""

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.live import snapshot_of
from dashboards.set_status import SetStatus, set_statuses
from dashboards.snapshot import Frame, Snapshot


def choose_set(
    frame: Frame, *, deployment: str | None = None, set_name: str | None = None, visit: str = ""
) -> tuple[Snapshot, SetStatus] | None:
    """Show the two selection boxes. Return the state of the chosen deployment and the chosen set; None when nothing is
    configured.

    The first choice is the given deployment and set, else a set with an open alert. Another `visit` resets both boxes.
    """
    left, right = st.columns(2)
    names = [row.name for row in frame.deployments]
    alerted = [alert.deployment for alert in frame.alerts]
    first = next((index for index, name in enumerate(names) if name in alerted), 0)
    initial = names.index(deployment) if deployment in names else first
    name = left.selectbox("Deployment", names, index=initial if names else None, key=f"deployment{visit}")
    chosen = next((row for row in frame.deployments if row.name == name), None)
    if chosen is None:
        right.selectbox("Eval set", [], index=None, key=f"no set{visit}")
        return None
    snapshot = snapshot_of(chosen.name)
    statuses = {row.set_name: row for row in set_statuses(snapshot, chosen)}
    sets = list(statuses)
    worse = next((index for index, row in enumerate(sets) if statuses[row].alert is not None), 0)
    at = sets.index(set_name) if set_name in sets and name == deployment else worse
    found = right.selectbox("Eval set", sets, index=at if sets else None, key=f"set of {name}{visit}")
    return (snapshot, statuses[found]) if found in statuses else None


def choose_linked_set(frame: Frame) -> tuple[Snapshot, SetStatus] | None:
    """Show the selection boxes. Return the state of the chosen deployment and the chosen set; None when nothing is
    configured.

    The first choice is the deployment and set of the address, else the ones that were chosen last on another page. The
    choice is written into the address.
    """
    last: tuple[str | None, str | None] = st.session_state.get(_LAST, (None, None))
    linked = st.query_params.get("deployment"), st.query_params.get("set")
    deployment, set_name = linked if linked[0] is not None else last
    chosen = choose_set(frame, deployment=deployment, set_name=set_name)
    if chosen is not None:
        _, status = chosen
        st.session_state[_LAST] = status.deployment, status.set_name
        keep_in_address(deployment=status.deployment, set=status.set_name)
    return chosen


_LAST = "set that was chosen last"
