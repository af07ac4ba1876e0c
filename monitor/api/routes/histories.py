"""Stored nights as the input of `driftd backtest`."""

from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import HistoryItem, ListPage
from monitor.drift.backtest_document import history_document
from monitor.drift.detect.nightly_history import build_nights
from monitor.errors import NotFound, unknown
from monitor.store.runs import nights

router = APIRouter(prefix="/api/v1/histories", tags=["histories"])
Name = Annotated[str, Query(min_length=1, max_length=200)]
SetName = Annotated[str | None, Query(min_length=1, max_length=200)]


@router.get("", **needs(Role.READ))
def list_histories(context: Context, deployment: Name, set_name: SetName = None) -> ListPage[HistoryItem]:
    """Return the history of one set of a deployment, or of each set with a scored night. It includes every stored
    night: accepted baselines are not applied.
    """
    policy = context.policy.deployments.get(deployment)
    if policy is None:
        raise unknown("deployment", deployment, context.policy.deployments)
    if set_name is not None and set_name not in policy.sets:
        raise unknown(f"deployment {deployment!r}: set", set_name, policy.sets)
    wanted = [set_name] if set_name is not None else list(policy.sets)
    with context.store.read() as tx:
        rows = [nights.of_set(tx, deployment, name, until_run=None, since=None) for name in wanted]
    known = [build_nights(row, policy.drift) for row in rows if row.nights]
    found = [HistoryItem.model_validate(history_document(each)) for each in known if each.history.nights]
    if not found:
        raise NotFound(f"deployment {deployment!r}: no scored night is stored; replay its sets first")
    return ListPage(items=found, next_cursor=None)
