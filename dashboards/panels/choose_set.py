"""Selection of a deployment and one of its sets."""

import streamlit as st

from dashboards.set_status import SetStatus, set_statuses
from dashboards.snapshot import Snapshot


def choose_set(
    snapshot: Snapshot, *, deployment: str | None = None, set_name: str | None = None, visit: str = ""
) -> SetStatus | None:
    """Show the two selection boxes and return the chosen set; None when nothing is configured.

    The first choice is the given deployment and set, else a set with an open alert. Another `visit` resets both boxes.
    """
    left, right = st.columns(2)
    names = [row.name for row in snapshot.deployments]
    alerted = [alert.deployment for alert in snapshot.alerts if alert.state != "resolved"]
    first = next((index for index, name in enumerate(names) if name in alerted), 0)
    initial = names.index(deployment) if deployment in names else first
    name = left.selectbox("Deployment", names, index=initial if names else None, key=f"deployment{visit}")
    chosen = next((row for row in snapshot.deployments if row.name == name), None)
    statuses = {row.set_name: row for row in set_statuses(snapshot, chosen)} if chosen is not None else {}
    sets = list(statuses)
    worse = next((index for index, row in enumerate(sets) if statuses[row].alert is not None), 0)
    at = sets.index(set_name) if set_name in sets and name == deployment else worse
    found = right.selectbox("Eval set", sets, index=at if sets else None, key=f"set of {name}{visit}")
    return statuses.get(found) if found is not None else None
