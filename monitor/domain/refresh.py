"""What a refresh of a dynamic set changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """Ids of the cases that `entered`, `left` (with why) or were `replaced` by other content; `carried` of the `cases`
    were there before. `kept_out` counts accepted cases that did not come in, by reason.
    """

    set_name: str
    revision: str
    parent: str | None
    at: datetime
    cases: int
    carried: int
    entered: tuple[str, ...]
    left: Mapping[str, str]
    replaced: tuple[str, ...]
    kept_out: Mapping[str, int]
