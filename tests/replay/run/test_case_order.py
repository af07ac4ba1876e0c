from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from replay.run.case_order import fair_order
from replay.types import Case, Message, Severity


def asked(number: int, category: str = "billing", severity: Severity = Severity.LOW) -> Case:
    return Case(
        id=f"c{number}", input=(Message(role="user", content=str(number)),), category=category, severity=severity
    )


sets = st.lists(
    st.tuples(st.sampled_from(["billing", "refunds", "orders"]), st.sampled_from(list(Severity))), max_size=60
).map(lambda strata: [asked(i, category, severity) for i, (category, severity) in enumerate(strata)])


@given(sets, st.text(max_size=8), st.randoms(use_true_random=False))
def test_all_cases_come_once_in_an_order_that_only_the_seed_decides(cases: list[Case], seed: str, rng: object) -> None:
    order = fair_order(cases, seed)
    assert Counter(case.id for case in order) == Counter(case.id for case in cases)
    shuffled = list(cases)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fair_order(shuffled, seed) == order


@given(sets, st.text(max_size=8))
def test_any_beginning_holds_each_stratum_in_its_share(cases: list[Case], seed: str) -> None:
    order = fair_order(cases, seed)
    whole = Counter((case.category, case.severity) for case in cases)
    begun: Counter[tuple[str, Severity]] = Counter()
    for case in order:
        begun[case.category, case.severity] += 1
        shares = [(begun[stratum] / size, 1.0 / size) for stratum, size in whole.items()]
        low = max(share - step for share, step in shares)
        high = min(share + step for share, step in shares)
        assert low <= high + 1e-9  # one share of the interval explains all strata, give or take one case


def test_another_seed_leaves_other_cases_for_the_end() -> None:
    cases = [asked(number) for number in range(40)]
    first, second = fair_order(cases, "monday"), fair_order(cases, "tuesday")
    assert {case.id for case in first[:20]} != {case.id for case in second[:20]}
