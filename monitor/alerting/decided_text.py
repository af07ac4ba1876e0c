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
    "none": "two runs compared without a test",
}


def percent(rate: float) -> str:
    return f"{100 * rate:.1f} %"


def points(difference: float) -> str:
    """Return a difference of rates in percentage points with its sign. A value that rounds to zero has no sign."""
    text = f"{100 * difference:+.1f}"
    return "0.0" if text in {"+0.0", "-0.0"} else text.replace("-", "−")


def p_text(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def moved_phrases(decided: Part) -> list[str]:
    """Return the categories that the decision found, falls first: `prime −95.2 points`.

    Without a category, return the change of all cases; if a failure category decided, return the failure categories.
    """
    lead = decided["overall"] or decided
    categories = [row for row in decided["moved"] if row["kind"] == "score"]
    if categories:
        return [_phrase(row) for row in categories]
    if lead["kind"] == "mix" and decided["moved"]:
        return [_phrase(row) for row in decided["moved"]]
    return [] if lead["effect"] is None else [_phrase(lead)]


def headline(decided: Part) -> str | None:
    """Return, for example, `Pass rate 84.0 % → 49.6 %: −34.4 points, 95 % interval −39.2 to −29.4, 800 cases.`

    Return None if the test has no effect.
    """
    lead = decided["overall"] or decided
    if lead["effect"] is None:
        return None
    rates = "" if lead["before"] is None else f" {percent(lead['before'])} → {percent(lead['after'])}"
    ends, cases = lead["interval"], lead["cases"]
    sure = "" if ends is None else f", 95 % interval {points(ends[0])} to {points(ends[1])}"
    counted = "" if cases is None else f", {cases} cases"
    return f"{_subject(lead)}{rates}: {points(lead['effect'])} points{sure}{counted}."


def moved_rows(decided: Part) -> list[str]:
    """Return one row for each category and each failure category that moved, as the deciding test found them."""
    rows = decided["moved"]
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
    yield "evidence", f"{_TESTS[decided['test']]}{where}{strength(decided)}{compared}"
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


def strength(decided: Part) -> str:
    """Return, for example, `: p = 0.0003, threshold 0.0014`; empty if the test has no p-value and no e-value."""
    if decided["e"] is not None:
        return f": e = {decided['e']:.3g}, threshold {decided['e_needed']:.3g}"
    if decided["p"] is None:
        return ""
    needed = "" if decided["p_needed"] is None else f", threshold {decided['p_needed']:.2g}"
    return f": {p_text(decided['p'])}{needed}"


def _phrase(row: Part) -> str:
    return _short_name(row) if row["effect"] is None else f"{_short_name(row)} {points(row['effect'])} points"


def _short_name(row: Part) -> str:
    if row["kind"] == "mix":
        return f"failures {row['channel']}"
    return "pass rate" if row["channel"] == "overall" else str(row["channel"])


def _subject(numbers: Part) -> str:
    if numbers["kind"] == "mix":
        return f"Failure category {numbers['channel']}"
    return "Pass rate" if numbers["channel"] == "overall" else f"Pass rate of {numbers['channel']}"


def _moved(row: Part, name: str, wide: int) -> str:
    rates = "" if row["before"] is None else f"{percent(row['before']):>7} → {percent(row['after']):>7}  "
    size = "" if row["effect"] is None else f"{points(row['effect']):>6} points"
    cases = "" if row["cases"] is None else f"  {row['cases']} cases"
    return f"{name:<{wide}}  {rates}{size}{cases}".rstrip()
