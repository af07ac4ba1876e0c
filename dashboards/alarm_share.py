"""How near the evidence of a channel is to an alarm. Pure."""

import math
from typing import Protocol


class Evidence(Protocol):
    """An e-value or a p-value with its threshold; None is unknown."""

    @property
    def e(self) -> float | None: ...
    @property
    def e_needed(self) -> float | None: ...
    @property
    def p(self) -> float | None: ...
    @property
    def p_needed(self) -> float | None: ...
    @property
    def worse(self) -> bool | None: ...


def share_of_alarm(row: Evidence) -> float:
    """Return the evidence on a logarithmic scale from 0 (no evidence, or no test) to 1.0 (an alarm)."""
    if row.e is not None and row.e_needed is not None:
        return max(math.log(max(row.e, 1.0)) / math.log(max(row.e_needed, 2.0)), 0.0)
    if row.p is not None and row.p_needed is not None and row.worse:
        return math.log(max(row.p, 1e-300)) / math.log(min(row.p_needed, 0.5))
    return 0.0


def evidence_text(row: Evidence) -> str:
    """Return the evidence with its threshold, as in `e 4,000 of 1,000`, or `not tested`."""
    if row.e is not None and row.e_needed is not None:
        return f"e {row.e:,.3g}, alarm at {row.e_needed:,.3g}"
    if row.p is not None and row.p_needed is not None:
        return f"p {row.p:.2g}, alarm at {row.p_needed:.2g}"
    return "not tested"
