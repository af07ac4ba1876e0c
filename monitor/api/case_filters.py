"""Filters and orders of the list of cases. Pure."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from monitor.api.schema.case_histories import CaseStateName, CaseTrendItem
from monitor.domain.case_history import CaseOrder, CaseState

SEVERITIES = ("critical", "high", "medium", "low")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFilter:
    """None means no filter. `text` is a part of the id, the category, the failure category or the cluster."""

    text: str | None
    category: str | None
    severity: str | None
    part: str | None
    failure_category: str | None

    def matches(self, item: CaseTrendItem) -> bool:
        exact = (
            (self.category, item.category),
            (self.severity, item.severity),
            (self.part, item.part),
            (self.failure_category, item.failure_category),
        )
        return all(wanted in {None, found} for wanted, found in exact) and self._contains_text(item)

    def _contains_text(self, item: CaseTrendItem) -> bool:
        if self.text is None:
            return True
        texts = (item.case_id, item.category, item.failure_category or "", item.cluster or "")
        return any(self.text.casefold() in text.casefold() for text in texts)


def in_state(items: Sequence[CaseTrendItem], state: CaseState | None) -> list[CaseTrendItem]:
    return [item for item in items if state is None or state.value in item.states]


def count_states(items: Sequence[CaseTrendItem]) -> dict[CaseStateName, int]:
    """Return the number of cases in each state, 0 included."""
    counted = Counter(state for item in items for state in item.states)
    return {state.value: counted[state.value] for state in CaseState}


def ordered(items: Sequence[CaseTrendItem], order: CaseOrder) -> list[CaseTrendItem]:
    """Return the cases in this order: the most severe, the most difficult or the flakiest first."""
    key = _KEYS[order]
    return sorted(items, key=lambda item: (key(item), item.case_id))


def flakiness(item: CaseTrendItem) -> float:
    """Return the larger of the share of disagreeing answers and the share of flips."""
    shares = [part / whole for part, whole in ((item.disagreeing, item.pairs), (item.flips, item.night_pairs)) if whole]
    return max(shares, default=0.0)


def _severity(item: CaseTrendItem) -> tuple[float, ...]:
    known = SEVERITIES.index(item.severity) if item.severity in SEVERITIES else len(SEVERITIES)
    return (known, -(item.fail_share or 0.0))


_KEYS: dict[CaseOrder, Callable[[CaseTrendItem], tuple[float | str, ...]]] = {
    CaseOrder.SEVERITY: _severity,
    CaseOrder.DIFFICULTY: lambda item: (-(item.fail_share if item.fail_share is not None else -1.0),),
    CaseOrder.FLAKINESS: lambda item: (-flakiness(item),),
    CaseOrder.ID: lambda item: (item.case_id,),
    CaseOrder.CATEGORY: lambda item: (item.category,),
}
