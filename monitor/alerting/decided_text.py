"""The deciding test of an alert as text: headline, moved categories, evidence and smallest detectable effect."""

from collections.abc import Iterator, Mapping
from typing import Any

from monitor.domain.detectable import horizons

Part = Mapping[str, Any]

_TESTS = {
    "two_runs": "two runs compared (exact McNemar, Holm over categories)",
    "known_change": "nights before and after the change",
    "silent_drift": "evidence over nights, no change announced",
    "open_alert": "the newest nights do not rule out the change that opened the alert",
    "pinned_run": "the newest week against the pinned run",
}


def percent(rate: float) -> str:
    return f"{100 * rate:.1f} %"


def points(difference: float) -> str:
    """Return a difference of rates in percentage points with its sign. A value that rounds to zero has no sign."""
    text = f"{100 * difference:+.1f}"
    return "0.0" if text in {"+0.0", "-0.0"} else text.replace("-", "−")


def headline(decided: Part | None, comparison: Part | None) -> str:
    """Return, for example, `Pass rate 84.0 % → 49.6 %: −34.4 points, 95 % interval −39.2 to −29.4, 800 cases.`"""
    lead = None if decided is None else decided["overall"] or decided
    numbers = _of_comparison(comparison) if lead is None or lead["effect"] is None else lead
    if numbers is None:
        return "The two runs have no case in common."
    rates = "" if numbers["before"] is None else f" {percent(numbers['before'])} → {percent(numbers['after'])}"
    ends, cases = numbers["interval"], numbers["cases"]
    sure = "" if ends is None else f", 95 % interval {points(ends[0])} to {points(ends[1])}"
    counted = "" if cases is None else f", {cases} cases"
    return f"{_subject(numbers)}{rates}: {points(numbers['effect'])} points{sure}{counted}."


def moved_rows(decided: Part | None, comparison: Part | None) -> list[str]:
    """Return one row for each category and each failure category that moved, as the deciding test found them."""
    rows = decided["moved"] if decided is not None else [_of_category(row) for row in _moved_of(comparison)]
    names = [f"failure category {row['channel']}" if row["kind"] == "mix" else row["channel"] for row in rows]
    wide = max((len(name) for name in names), default=0)
    return [_moved(row, name, wide) for row, name in zip(rows, names, strict=True)]


def decided_rows(decided: Part | None, nights: str) -> Iterator[tuple[str, str]]:
    """Yield the row of the test with its p-value or e-value, and the row of the smallest change that it detects.

    `nights` describes the nights that the test compared; it may be empty.
    """
    if decided is None:
        if nights:
            yield "evidence", nights
        return
    compared = f"; {nights}" if nights else ""
    where = "" if decided["channel"] == "overall" else f", {decided['channel']}"
    yield "evidence", f"{_TESTS[decided['test']]}{where}{evidence_of(decided)}{compared}"
    found = detectable_effect(decided)
    if found is not None:
        yield "detects", f"{found}, with 80 % power"


def detectable_effect(decided: Part) -> str | None:
    """Return, for example, `a fall of 6.1 points in refunds tonight and of 2.4 within 7 nights`; None if not known."""
    effects = decided["detectable"]
    if not effects:
        return None
    where = "" if decided["channel"] == "overall" else f" in {decided['channel']}"
    if effects[0]["scenario"] == "two_runs":
        return f"a change of {100 * effects[0]['effect']:.1f} points{where}"
    what = "change" if effects[0]["scenario"] == "pinned_run" else "fall"
    return f"a {what} of {horizons([(each['nights'], each['effect']) for each in effects], where)}"


def evidence_of(decided: Part) -> str:
    """Return, for example, `: p = 0.0003, at most 0.0014 needed`; empty if the test has no p-value and no e-value."""
    if decided["e"] is not None:
        return f": e = {decided['e']:.3g}, {decided['e_needed']:.3g} needed"
    if decided["p"] is None:
        return ""
    needed = "" if decided["p_needed"] is None else f", at most {decided['p_needed']:.2g} needed"
    return f": {p_text(decided['p'])}{needed}"


def p_text(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def _subject(numbers: Part) -> str:
    if numbers["kind"] == "mix":
        return f"Failure category {numbers['channel']}"
    return "Pass rate" if numbers["channel"] == "overall" else f"Pass rate of {numbers['channel']}"


def _moved(row: Part, name: str, wide: int) -> str:
    rates = "" if row["before"] is None else f"{percent(row['before']):>7} → {percent(row['after']):>7}  "
    size = "" if row["effect"] is None else f"{points(row['effect']):>6} points"
    cases = "" if row["cases"] is None else f"  {row['cases']} cases"
    return f"{name:<{wide}}  {rates}{size}{cases}".rstrip()


def _nights(count: int) -> str:
    return f"{count} night" if count == 1 else f"{count} nights"


def _moved_of(comparison: Part | None) -> list[Part]:
    return [] if comparison is None else list(comparison["categories_moved"])


def _of_category(row: Part) -> Part:
    names = {"channel": "category", "cases": "n", "before": "baseline", "after": "candidate", "effect": "effect"}
    return {"kind": "score", **{name: row[key] for name, key in names.items()}}


def _of_comparison(comparison: Part | None) -> Part | None:
    """Return a comparison of two runs in the shape of a deciding test.

    Payloads of an earlier release and findings without a test have only the comparison.
    """
    if comparison is None:
        return None
    ends = None if comparison["ci_low"] is None else (comparison["ci_low"], comparison["ci_high"])
    names = {"cases": "n", "before": "baseline", "after": "candidate", "effect": "effect"}
    return {"kind": "score", "channel": "overall", "interval": ends} | {k: comparison[v] for k, v in names.items()}
