"""Waiting until the file was written anew: what is gone from every answer is gone from its bytes then."""

import time

from monitor.api.schema import RewriteItem, StatusItem
from monitor.cli.connection.client import Api
from monitor.errors import Retryable

POLL_S = 0.2


def rewritten(api: Api, item: RewriteItem) -> RewriteItem:
    """The rewrite when the new file is in place."""
    api.tidy()
    while item.rewritten_at is None:
        _demand_progress(api)
        time.sleep(POLL_S)
        item = api.get(f"/api/v1/rewrites/{item.id}", RewriteItem)
    return item


def _demand_progress(api: Api) -> None:
    """A daemon that cannot rewrite now tries again by itself; nobody need wait for it."""
    state = api.get("/api/v1/status", StatusItem).loops.get("retention", "")
    if state.startswith(("retrying", "crashed")):
        raise Retryable(f"the rows are gone from every answer, but their bytes are still in the file; {state}")
