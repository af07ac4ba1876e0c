"""Budgets of replays over days and months."""

from datetime import datetime
from typing import Literal

from monitor.api.schema.runs import SpentItem
from monitor.api.schema.wire import Wire


class BudgetItem(Wire):
    """The budget of a deployment's replays in the current day or month of UTC; null means no limit.

    `met` names the limit that allows no further request until `renewed_at`; null while there is room.
    """

    deployment: str
    period: Literal["day", "month"]
    requests: int | None
    tokens: int | None
    usd: float | None
    spent: SpentItem
    met: str | None
    renewed_at: datetime
