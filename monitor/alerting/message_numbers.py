"""The numbers of an alert: the deciding test and the comparison of the two runs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from monitor.domain.deciding_test import DecidingTest, MovedChannel
from monitor.domain.finding import CategoryEffect, Comparison

WORST = 5


def decided_part(decided: DecidingTest) -> dict[str, Any]:
    overall = None if decided.overall is None else _with_list(asdict(decided.overall))
    moved = [_with_list(asdict(row)) for row in decided.moved]
    detectable = [asdict(each) for each in decided.detectable]
    return _with_list(asdict(decided)) | {"moved": moved, "overall": overall, "detectable": detectable}


def _with_list(fields: dict[str, Any]) -> dict[str, Any]:
    ends = fields["interval"]
    return fields | {"interval": None if ends is None else list(ends)}


def comparison_part(comparison: Comparison, decided: DecidingTest | None) -> dict[str, Any]:
    return {
        "metric": comparison.metric,
        "baseline": comparison.baseline,
        "candidate": comparison.candidate,
        "effect": comparison.effect,
        "ci_low": comparison.interval.low,
        "ci_high": comparison.interval.high,
        "p_value": comparison.p_value,
        "n": comparison.n,
        "flipped_to_fail": comparison.flipped_to_fail,
        "flipped_to_pass": comparison.flipped_to_pass,
        "mde": comparison.mde,
        "mde_source": comparison.mde_source,
        "categories_moved": _categories_moved(comparison, decided),
        "failure_shifts": [
            {"failure_category": row.failure_category, "baseline": row.baseline, "candidate": row.candidate}
            for row in comparison.failure_shifts
        ],
        "worst_cases": [
            {
                "case_id": case.case_id,
                "category": case.category,
                "severity": case.severity,
                "passing_nights": case.passing_nights,
                "failure_category": case.failure_category,
            }
            for case in comparison.worst_cases[:WORST]
        ],
    }


def _categories_moved(comparison: Comparison, decided: DecidingTest | None) -> list[dict[str, Any]]:
    """Return the categories that the deciding test found, with its numbers and the flips between the two runs."""
    if decided is None or decided.test == "two_runs":
        return [_category(row) for row in _fallen_first(comparison.categories)]
    flips = {row.category: (row.flipped_to_fail, row.flipped_to_pass) for row in comparison.categories}
    return [_moved(row, flips.get(row.channel, (0, 0))) for row in decided.categories_moved]


def _moved(row: MovedChannel, flips: tuple[int, int]) -> dict[str, Any]:
    low, high = row.interval or (None, None)
    return {
        "category": row.channel,
        "n": row.cases,
        "baseline": row.before,
        "candidate": row.after,
        "effect": row.effect,
        "ci_low": low,
        "ci_high": high,
        "flipped_to_fail": flips[0],
        "flipped_to_pass": flips[1],
        "p_value_adjusted": None,
        "p": row.p,
        "p_needed": row.p_needed,
        "e": row.e,
        "e_needed": row.e_needed,
    }


def _fallen_first(categories: Sequence[CategoryEffect]) -> list[CategoryEffect]:
    moved = [row for row in categories if row.moved]
    return sorted(moved, key=lambda row: (row.effect, row.category))


def _category(row: CategoryEffect) -> dict[str, Any]:
    return {
        "category": row.category,
        "n": row.n,
        "baseline": row.baseline,
        "candidate": row.candidate,
        "effect": row.effect,
        "ci_low": row.interval.low,
        "ci_high": row.interval.high,
        "flipped_to_fail": row.flipped_to_fail,
        "flipped_to_pass": row.flipped_to_pass,
        "p_value_adjusted": row.p_value_adjusted,
    }
