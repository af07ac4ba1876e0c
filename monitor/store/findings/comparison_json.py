"""A comparison as JSON text, and back."""

from dataclasses import asdict
from typing import Any

from monitor.domain.finding import CategoryEffect, Comparison, FailureShift, Interval, WorstCase
from monitor.store.engine.json_columns import from_json, to_json


def comparison_to_json(comparison: Comparison) -> str:
    return to_json(asdict(comparison))


def comparison_from_json(text: str) -> Comparison:
    plain: dict[str, Any] = from_json(text)
    return Comparison(
        **plain
        | {
            "interval": Interval(**plain["interval"]),
            "categories": tuple(_category(item) for item in plain["categories"]),
            "failure_shifts": tuple(FailureShift(**item) for item in plain["failure_shifts"]),
            "worst_cases": tuple(WorstCase(**item) for item in plain["worst_cases"]),
            "flipped_case_ids": tuple(plain["flipped_case_ids"]),
        }
    )


def _category(item: dict[str, Any]) -> CategoryEffect:
    return CategoryEffect(**item | {"interval": Interval(**item["interval"])})
