"""The numbers of an alert, each in one place of the payload: those of the deciding test, and the observed flips."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from monitor.domain.deciding_test import DecidingTest
from monitor.domain.finding import CategoryEffect, Comparison

WORST = 5
NO_TEST = "none"  # in place of the name of a test: the two runs were compared, and nothing was tested
_STRENGTH = ("p", "p_needed", "e", "e_needed")


def decided_part(decided: DecidingTest | None, comparison: Comparison | None) -> dict[str, Any] | None:
    """Return effect, interval, number of cases, threshold and detectable effect of the test that decided.

    The p-value, or the e-value, of the decision is the only one in the payload: the rows of `moved` and `overall` have
    none. Without a test, the numbers are those of the two runs. A test without an effect of its own, such as a change
    of behaviour, has the change of all cases between the two runs as `overall`. Return None if nothing was compared.
    """
    if decided is None:
        return None if comparison is None else _without_test(comparison)
    overall = None if decided.overall is None else _row(asdict(decided.overall))
    if overall is None and decided.effect is None and comparison is not None:
        overall = _all_cases(comparison)
    return _with_list(asdict(decided)) | {
        "moved": [_row(asdict(row)) for row in decided.moved],
        "overall": overall,
        "detectable": [asdict(each) for each in decided.detectable],
    }


def comparison_part(comparison: Comparison) -> dict[str, Any]:
    """Return what only the two runs show: flips, failure categories and the worst cases. They are no test."""
    return {
        "flipped_to_fail": comparison.flipped_to_fail,
        "flipped_to_pass": comparison.flipped_to_pass,
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


def decided_without_strength(decided: Mapping[str, Any]) -> dict[str, Any]:
    """Return `decided` of an older payload: its rows lose their own p-values and e-values."""
    overall = decided["overall"]
    return {
        **decided,
        "moved": [_row(row) for row in decided["moved"]],
        "overall": None if overall is None else _row(overall),
    }


def _without_test(comparison: Comparison) -> dict[str, Any]:
    moved = sorted((row for row in comparison.categories if row.moved), key=lambda row: (row.effect, row.category))
    strength: dict[str, None] = dict.fromkeys(_STRENGTH)
    rows = [_category(row) for row in moved]
    return _all_cases(comparison) | strength | {"test": NO_TEST, "detectable": [], "moved": rows, "overall": None}


def _all_cases(comparison: Comparison) -> dict[str, Any]:
    return {
        "kind": "score",
        "channel": "overall",
        "cases": comparison.n,
        "before": comparison.baseline,
        "after": comparison.candidate,
        "effect": comparison.effect,
        "interval": [comparison.interval.low, comparison.interval.high],
    }


def _category(row: CategoryEffect) -> dict[str, Any]:
    return {
        "kind": "score",
        "channel": row.category,
        "cases": row.n,
        "before": row.baseline,
        "after": row.candidate,
        "effect": row.effect,
        "interval": [row.interval.low, row.interval.high],
    }


def _row(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in _with_list(fields).items() if name not in _STRENGTH}


def _with_list(fields: Mapping[str, Any]) -> dict[str, Any]:
    ends = fields["interval"]
    return {**fields, "interval": None if ends is None else list(ends)}
