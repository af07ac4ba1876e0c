"""A short version of `bench/soak.py`: simulated nights of a whole daemon, and the pages at its receiver."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.soak.judge import judge
from tests.soak.nights import Page, soaking
from tests.soak.plan import incidents, quiet, short

pytestmark = pytest.mark.timeout(600)


def page(night: int, reason: str, rule: str, group: str) -> Page:
    return Page(night=night, at="", reason=reason, group=group, rules=(rule,) if rule else (), states={})


def test_the_pages_of_twelve_nights_are_the_changes_and_the_outage_and_all_resolve(tmp_path: Path) -> None:
    plan = short()
    with soaking(tmp_path, plan) as soak:
        soak.play()
        open_ = [alert for alert in soak.alerts() if alert["state"] != "resolved"]
    assert judge(plan, soak.pages) == []
    assert open_ == []
    assert soak.sink.turned_away > 0


@pytest.mark.parametrize(
    "pages",
    [
        [page(3, "first", "QualityRegression", "g")],
        [page(3, "first", "SetStale", "g"), page(4, "resolved", "", "g")],
    ],
)
def test_any_page_of_quiet_nights_is_a_fault(pages: Sequence[Page]) -> None:
    assert judge(quiet(20, 40), pages) != []


def test_a_page_that_is_missing_unresolved_or_announced_twice_is_a_fault() -> None:
    plan = incidents(nights=20, cases=40)
    days = [5, 9, 12, 16]
    rules = ["QualityRegression", "TargetUnreachable", "QualityRegression", "CategoryRegression"]
    ends = [7, 11, 14, 18]
    right = [
        one
        for number, (day, rule, end) in enumerate(zip(days, rules, ends, strict=True))
        for one in (page(day, "first", rule, f"g{number}"), page(end, "resolved", "", f"g{number}"))
    ]
    assert judge(plan, right) == []
    assert judge(plan, right[:-1]) == ["the page of night 16 is not resolved by night 18: first"]
    assert judge(plan, right[2:]) != []
    assert judge(plan, [right[0], *right]) == ["the group of night 5 was announced as new more than once"]
