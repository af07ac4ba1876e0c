"""Who accepted a regression as the new normal, when and why."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    by: str
    reason: str
    at: datetime
