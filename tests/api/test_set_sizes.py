"""The smallest effect by number of cases, and the cases that an effect needs."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from monitor.api.set_sizes import EFFECTS, SIZES, curve, needed
from monitor.stats.power import Noise, detectable_effect

noises = st.builds(
    Noise,
    within_variance=st.floats(0.001, 0.25),
    night_variance=st.floats(0.0, 0.001),
)


@given(noises, st.integers(1, 10_000), st.integers(1, 5))
def test_more_cases_and_more_nights_never_need_a_larger_effect(noise: Noise, cases: int, samples: int) -> None:
    found = curve(noise, cases=cases, samples=samples)
    for nights in (1, 7):
        line = [each for each in found if each.nights == nights]
        assert [each.cases for each in line] == sorted({*SIZES, cases})
        assert all(a.effect >= b.effect for a, b in pairwise(line))
    first, week = ([each.effect for each in found if each.nights == nights] for nights in (1, 7))
    assert all(a >= b for a, b in zip(first, week, strict=True))


@given(noises, st.integers(1, 5))
def test_the_needed_cases_detect_the_effect_and_one_case_less_does_not(noise: Noise, samples: int) -> None:
    for each in needed(noise, samples=samples):
        if each.cases is None:
            assert detectable_effect(noise, n=10**9, k=samples, nights=each.nights) > each.effect * 0.999
            continue
        assert detectable_effect(noise, n=each.cases, k=samples, nights=each.nights) <= each.effect * 1.001
        if each.cases > 1:
            assert detectable_effect(noise, n=each.cases - 1, k=samples, nights=each.nights) > each.effect * 0.999
    assert len(needed(noise, samples=samples)) == 2 * len(EFFECTS)
