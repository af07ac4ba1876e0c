from monitor.domain.evalset import CaseExposure
from monitor.health.exposure import exposure_of


def seen(case_id: str, calls: int, reveals: int = 0, recent: int = 0) -> CaseExposure:
    return CaseExposure(
        case_id=case_id,
        category="x",
        severity="medium",
        calls=calls,
        reveals=reveals,
        providers=1,
        people=reveals,
        recent_calls=recent,
        last_at=None,
    )


def test_calls_and_reveals_count_against_the_budget() -> None:
    found = exposure_of([seen("a", 9), seen("b", 9, reveals=1), seen("c", 3)], 10, 30.0)
    assert (found.over_budget, found.due, found.revealed_cases, found.max_exposure, found.median) == (
        ("b",),
        True,
        1,
        10,
        9.0,
    )


def test_one_rotation_takes_the_most_exposed_fifth() -> None:
    found = exposure_of([seen(f"c{n}", 100 + n) for n in range(10)], 50, 30.0)
    assert len(found.over_budget) == 10
    assert found.to_replace == ("c9", "c8")


def test_a_fifth_of_few_cases_is_one() -> None:
    assert exposure_of([seen("a", 9), seen("b", 8)], 5, 30.0).to_replace == ("a",)


def test_the_days_left_are_those_of_the_case_that_is_asked_most() -> None:
    found = exposure_of([seen("a", 100, recent=30), seen("b", 40, recent=300)], 400, 30.0)
    assert found.days_left == 36.0
    assert exposure_of([seen("a", 400, recent=1)], 400, 30.0).days_left == 0.0


def test_without_calls_or_a_budget_nothing_runs_out() -> None:
    assert exposure_of([seen("a", 3)], 10, 30.0).days_left is None
    found = exposure_of([seen("a", 10**6, recent=9)], None, 30.0)
    assert (found.days_left, found.over_budget) == (None, ())
    assert exposure_of([], 10, 30.0).max_exposure == 0
