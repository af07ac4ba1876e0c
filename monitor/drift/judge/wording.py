"""The sentence of a comparison: what moved, by how much, on how many cases."""

from collections.abc import Sequence

from monitor.domain.finding import CategoryEffect, Comparison

MAX_NAMED = 3  # categories named on each side; the rest is counted


def describe(comparison: Comparison) -> str:
    """`pass rate fell from 84.0 % to 50.2 % (-33.8 points, 95 % interval -38.6 to -29.0) on 800 paired cases; …`"""
    return (
        f"pass rate {_moved(comparison.baseline, comparison.candidate)} ({signed_points(comparison.effect)} points, "
        f"95 % interval {signed_points(comparison.interval.low)} to {signed_points(comparison.interval.high)}) "
        f"on {comparison.n} paired cases; {count(comparison.flipped_to_fail, 'case')} flipped to fail, "
        f"{comparison.flipped_to_pass} to pass"
    )


def describe_categories(categories: Sequence[CategoryEffect]) -> str:
    """`primes fell from 97.6 % to 2.4 %, composites rose from 70.4 % to 98.0 %`: falls first, largest effect first."""
    fell = sorted((row for row in categories if row.effect < 0), key=lambda row: (row.effect, row.category))
    rose = sorted((row for row in categories if row.effect > 0), key=lambda row: (-row.effect, row.category))
    return ", ".join([*_name_some(fell, "fell"), *_name_some(rose, "rose")])


def percent(rate: float) -> str:
    return f"{100 * rate:.1f} %"


def signed_points(difference: float) -> str:
    """Return a difference of rates in points with its sign; a rounded zero is plain 0.0."""
    text = f"{100 * difference:+.1f}"
    return "0.0" if text in {"+0.0", "-0.0"} else text


def count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _moved(before: float, after: float) -> str:
    if percent(before) == percent(after):
        return f"stayed at {percent(after)}"
    return f"{'rose' if after > before else 'fell'} from {percent(before)} to {percent(after)}"


def _name_some(rows: Sequence[CategoryEffect], verb: str) -> list[str]:
    named = [
        f"{row.category} {verb} from {percent(row.baseline)} to {percent(row.candidate)}" for row in rows[:MAX_NAMED]
    ]
    if len(rows) > MAX_NAMED:
        named.append(f"{len(rows) - MAX_NAMED} more {verb}")
    return named
