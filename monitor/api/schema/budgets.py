"""Replay budgets for a day or a month."""

from datetime import datetime
from typing import Literal

from monitor.api.schema.runs import SpentItem
from monitor.api.schema.wire import Wire


class BudgetItem(Wire):
    """The replay budget of a deployment in the current day or month (UTC); null means no limit.

    `met` names the exhausted limit: no request is sent before `renewed_at`. It is null while budget remains.
    """

    deployment: str
    period: Literal["day", "month"]
    requests: int | None
    tokens: int | None
    usd: float | None
    spent: SpentItem
    met: str | None
    renewed_at: datetime
