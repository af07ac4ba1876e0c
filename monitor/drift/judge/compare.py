"""Compares two runs on the same cases: overall, per category, per failure category and per case."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from monitor.domain.finding import CategoryEffect, Comparison, FailureShift, WorstCase
from monitor.domain.run import CaseResult
from monitor.drift.judge.aa_noise import own_discordance
from monitor.drift.judge.pairing import Flips, Pair, count_flips, pair_cases
from monitor.stats.holm import holm
from monitor.stats.mcnemar import exact_mcnemar
from monitor.stats.mde import smallest_detectable_effect
from monitor.stats.two_versions.paired_interval import tango_interval

WORST_CASES = 5


def compare_runs(
    before: Sequence[CaseResult],
    after: Sequence[CaseResult],
    *,
    streaks: Mapping[str, int],
    aa_discordance: float | None,
    alpha: float,
) -> Comparison | None:
    """Return what changed from `before` to `after` on the cases with a verdict in both; None when there is no such
    case.

    `streaks` has, per case id, the number of consecutive runs before this one that it passed. `aa_discordance` is the
    share of cases that flip without a change. `alpha` decides which categories moved, family-wise.
    """
    return compare_pairs(pair_cases(before, after), streaks=streaks, aa_discordance=aa_discordance, alpha=alpha)


def compare_pairs(
    pairs: Sequence[Pair], *, streaks: Mapping[str, int], aa_discordance: float | None, alpha: float
) -> Comparison | None:
    if not pairs:
        return None
    flips = count_flips(pairs)
    discordance = own_discordance(flips) if aa_discordance is None else aa_discordance
    worst_first = sorted((pair for pair in pairs if pair.flipped_to_fail), key=lambda pair: _worst_key(pair, streaks))
    return Comparison(
        metric="pass_rate",
        baseline=flips.passed_before / flips.n,
        candidate=flips.passed_after / flips.n,
        effect=_effect(flips),
        interval=tango_interval(flips.to_fail, flips.to_pass, flips.n),
        p_value=exact_mcnemar(flips.to_fail, flips.to_pass),
        flipped_to_fail=flips.to_fail,
        flipped_to_pass=flips.to_pass,
        n=flips.n,
        mde=smallest_detectable_effect(flips.n, discordance),
        mde_discordance=discordance,
        mde_source="this comparison" if aa_discordance is None else "a/a",
        categories=tuple(_category_effects(pairs, flips, alpha)),
        failure_shifts=_failure_shifts(pairs),
        worst_cases=tuple(_worst_case(pair, streaks) for pair in worst_first[:WORST_CASES]),
        flipped_case_ids=tuple(sorted(pair.after.case_id for pair in worst_first)),
    )


def overall_p_adjusted(comparison: Comparison) -> float:
    """Return the adjusted p-value of the overall test (Holm); its family also has every category."""
    overall = exact_mcnemar(comparison.flipped_to_fail, comparison.flipped_to_pass)
    return holm([overall, *(exact_mcnemar(row.flipped_to_fail, row.flipped_to_pass) for row in comparison.categories)])[
        0
    ]


def _effect(flips: Flips) -> float:
    return (flips.to_pass - flips.to_fail) / flips.n


def _category_effects(pairs: Sequence[Pair], overall: Flips, alpha: float) -> Iterator[CategoryEffect]:
    """Yield one row per category, by name. All categories are tested in one family with the overall test."""
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.after.category].append(pair)
    tables = {category: count_flips(groups[category]) for category in sorted(groups)}
    family = [overall, *tables.values()]
    adjusted = holm([exact_mcnemar(flips.to_fail, flips.to_pass) for flips in family])[1:]
    for (category, flips), p_value in zip(tables.items(), adjusted, strict=True):
        yield CategoryEffect(
            category=category,
            n=flips.n,
            baseline=flips.passed_before / flips.n,
            candidate=flips.passed_after / flips.n,
            effect=_effect(flips),
            interval=tango_interval(flips.to_fail, flips.to_pass, flips.n),
            flipped_to_fail=flips.to_fail,
            flipped_to_pass=flips.to_pass,
            p_value_adjusted=p_value,
            moved=p_value < alpha,
        )


def _failure_shifts(pairs: Sequence[Pair]) -> tuple[FailureShift, ...]:
    """Return how the failing cases failed before and after, the largest growth first."""
    then = Counter(pair.before.failure_category for pair in pairs if not pair.passed_before)
    now = Counter(pair.after.failure_category for pair in pairs if not pair.passed_after)
    names = sorted(then.keys() | now.keys(), key=lambda name: (then[name] - now[name], name))
    return tuple(FailureShift(failure_category=name, baseline=then[name], candidate=now[name]) for name in names)


def _worst_key(pair: Pair, streaks: Mapping[str, int]) -> tuple[int, int, str]:
    return (-pair.severity.rank, -streaks.get(pair.after.case_id, 0), pair.after.case_id)


def _worst_case(pair: Pair, streaks: Mapping[str, int]) -> WorstCase:
    return WorstCase(
        case_id=pair.after.case_id,
        category=pair.after.category,
        severity=pair.after.severity,
        passing_nights=streaks.get(pair.after.case_id, 0),
        failure_category=pair.after.failure_category,
    )
