"""Compares the pages of a soak with its plan: one group for each injected change and outage, each of them resolved."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.rules import RULES, Area
from tests.soak.nights import Page
from tests.soak.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """One page that must come on `night`, about a rule of `area`, and be resolved by the end of `resolved_by`."""

    night: int
    area: Area
    resolved_by: int


def expected(plan: Plan) -> list[Expected]:
    """Return the pages that the plan causes, the earliest first."""
    changes = [Expected(night=one.night, area=Area.QUALITY, resolved_by=one.until) for one in plan.changes]
    first, last = (min(plan.target_down), max(plan.target_down)) if plan.target_down else (0, 0)
    outages = [Expected(night=first, area=Area.EVALUATION, resolved_by=last + 1)] if plan.target_down else []
    return sorted((*changes, *outages), key=lambda one: one.night)


def judge(plan: Plan, pages: Sequence[Page]) -> list[str]:
    """Return what is wrong with the pages; nothing when they are exactly those of the plan.

    Repeats and updates of a group belong to its page.
    """
    groups: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        groups[page.group].append(page)
    found = sorted(groups.values(), key=lambda group: group[0].night)
    wanted = expected(plan)
    faults = [_fault(want, group) for want, group in zip(wanted, found, strict=False)]
    faults += [f"no page of night {want.night} ({want.area})" for want in wanted[len(found) :]]
    faults += [f"a page too many on night {group[0].night}: {group[0].rules}" for group in found[len(wanted) :]]
    return [fault for fault in faults if fault]


def _fault(want: Expected, group: Sequence[Page]) -> str:
    first, last = group[0], group[-1]
    areas = {RULES[rule].area for page in group for rule in page.rules}
    if first.night != want.night or areas != {want.area}:
        return f"expected a page of night {want.night} ({want.area}), found one of night {first.night}: {first.rules}"
    if [page.reason for page in group].count("first") != 1:
        return f"the group of night {want.night} was announced as new more than once"
    if last.reason != "resolved" or last.night > want.resolved_by:
        return f"the page of night {want.night} is not resolved by night {want.resolved_by}: {last.reason}"
    return ""
