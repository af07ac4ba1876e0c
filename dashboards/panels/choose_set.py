"""Which set of which deployment a page is about."""

import streamlit as st

from dashboards.snapshot import Snapshot
from dashboards.standing import SetStanding, stand


def choose_set(
    snapshot: Snapshot, *, deployment: str | None = None, set_name: str | None = None, visit: str = ""
) -> SetStanding | None:
    """Deployment and set, side by side; what is named is chosen at first, else a set that regressed.

    Another `visit` begins anew with what is named. None when nothing is configured.
    """
    left, right = st.columns(2)
    names = [row.name for row in snapshot.deployments]
    alerted = [alert.deployment for alert in snapshot.alerts if alert.state != "resolved"]
    first = next((index for index, name in enumerate(names) if name in alerted), 0)
    place = names.index(deployment) if deployment in names else first
    name = left.selectbox("Deployment", names, index=place if names else None, key=f"deployment{visit}")
    chosen = next((row for row in snapshot.deployments if row.name == name), None)
    standings = {row.set_name: row for row in stand(snapshot, chosen)} if chosen is not None else {}
    sets = list(standings)
    worse = next((index for index, row in enumerate(sets) if standings[row].alert is not None), 0)
    at = sets.index(set_name) if set_name in sets and name == deployment else worse
    found = right.selectbox("Eval set", sets, index=at if sets else None, key=f"set of {name}{visit}")
    return standings.get(found) if found is not None else None
