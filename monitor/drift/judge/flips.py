"""Which cases flipped between two runs, in the order in which a person should look at them."""

from collections.abc import Sequence
from typing import Literal

from monitor.drift.judge.pairing import Pair

Direction = Literal["to_fail", "to_pass"]


def flipped(
    pairs: Sequence[Pair],
    *,
    direction: Direction | None = None,
    category: str | None = None,
    failure_category: str | None = None,
) -> list[Pair]:
    """The pairs that flipped: to fail first, then the most severe, then by category and id.

    What is None does not filter; `failure_category` is that of the run in which the case fails.
    """
    kept = [
        pair
        for pair in pairs
        if (way := direction_of(pair)) is not None
        and direction in {None, way}
        and category in {None, pair.after.category}
        and failure_category in {None, failure_of(pair)}
    ]
    return sorted(kept, key=_reading_order)


def direction_of(pair: Pair) -> Direction | None:
    """Which way the case flipped; None when it did not."""
    if pair.flipped_to_fail:
        return "to_fail"
    return "to_pass" if pair.flipped_to_pass else None


def failure_of(pair: Pair) -> str:
    """How the case fails, in the later run when it fails in both; `none` when it fails in neither."""
    return pair.before.failure_category if pair.flipped_to_pass else pair.after.failure_category


def _reading_order(pair: Pair) -> tuple[bool, int, str, str]:
    return (pair.flipped_to_pass, -pair.severity.rank, pair.after.category, pair.after.case_id)
