"""Requests of the page Deployment."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import streamlit as st

from dashboards.connection import Connection
from dashboards.live import CACHE_S, connection_now
from monitor.api.schema import DeploymentItem, SetDiagnosisItem
from monitor.api.schema.overview import OverviewItem


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentState:
    """The state of a deployment. `overview` is its row on the overview; a deployment that is not configured has no
    diagnosis.
    """

    item: DeploymentItem | None
    overview: OverviewItem | None
    diagnosis: SetDiagnosisItem | None


def state_of(deployment: str) -> DeploymentState:
    return _state(connection_now(), deployment)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _state(connection: Connection, deployment: str) -> DeploymentState:
    with connection.open() as client, ThreadPoolExecutor(3) as pool:
        items = pool.submit(client.items, "deployments", DeploymentItem, most=1, deployment=deployment)
        rows = pool.submit(client.items, "overview", OverviewItem, most=1, deployment=deployment)
        diagnoses = pool.submit(client.items, "diagnoses", SetDiagnosisItem, most=1, deployment=deployment)
        return DeploymentState(
            item=next(iter(items.result()), None),
            overview=next(iter(rows.result()), None),
            diagnosis=next(iter(diagnoses.result()), None),
        )
