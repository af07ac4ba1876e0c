"""The numbers of the test that decided a finding."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.formatting import count, percent, plain, points
from monitor.api.schema import (
    ChannelEvidenceItem,
    ComparisonItem,
    DecidingTestItem,
    DetectableEffectItem,
    FindingItem,
)

TEST = {
    "two_runs": "two runs compared (exact McNemar, Holm)",
    "known_change": "nights before and after the change",
    "silent_drift": "evidence accumulated over nights",
    "open_alert": "newest nights compared with those before the alert",
    "pinned_run": "newest week compared with the pinned run",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayedRates:
    """The rates and their difference: those of the deciding test, else those of the two runs."""

    channel: str
    cases: int
    before: float
    after: float
    effect: float
    low: float
    high: float


def displayed_rates(comparison: ComparisonItem, decided: DecidingTestItem | None) -> DisplayedRates:
    """Return the rates to display. A failure category has a share of its own, so the rates are then those of the two
    runs.
    """
    if decided is None or decided.kind == "mix":
        return _of_comparison(comparison)
    lead = decided.overall or decided
    if None in {lead.cases, lead.before, lead.after, lead.effect} or lead.interval is None:
        return _of_comparison(comparison)
    return DisplayedRates(
        channel=lead.channel,
        cases=lead.cases or 0,
        before=lead.before or 0.0,
        after=lead.after or 0.0,
        effect=lead.effect or 0.0,
        low=lead.interval[0],
        high=lead.interval[1],
    )


def _of_comparison(comparison: ComparisonItem) -> DisplayedRates:
    return DisplayedRates(
        channel="overall",
        cases=comparison.n,
        before=comparison.baseline,
        after=comparison.candidate,
        effect=comparison.effect,
        low=comparison.ci_low,
        high=comparison.ci_high,
    )


def sentence(decided: DecidingTestItem) -> str:
    """Return `Decided by: nights before and after the change, p 0.0003 (at most 0.0014).`"""
    where = "" if decided.channel == "overall" else f", {decided.channel}"
    return f"Decided by: {TEST[decided.test]}{where}{_strength(decided)}."


def smallest(decided: DecidingTestItem) -> str | None:
    """Return the smallest change that the test detects, with the number of nights; None when it is unknown."""
    if not decided.detectable:
        return None
    first = decided.detectable[0]
    where = "" if decided.channel == "overall" else f" in {plain(decided.channel)}"
    if first.scenario == "two_runs":
        return f"This test detects a change of {100 * first.effect:.1f} points{where} with 80 % power."
    what = "change" if first.scenario == "pinned_run" else "fall"
    return f"This test detects a {what} of {horizons(decided.detectable, where)} with 80 % power."


def horizons(effects: Sequence[DetectableEffectItem], where: str = "") -> str:
    """Return `6.1 points in refunds tonight and of 2.4 within 7 nights`."""
    parts: list[str] = []
    for each in effects:
        size = f"{100 * each.effect:.1f}"
        when = "tonight" if each.nights == 1 else f"within {count(each.nights, 'night')}"
        parts.append(f"of {size} {when}" if parts else f"{size} points{where} {when}")
    return " and ".join(parts)


def channel_rows(finding: FindingItem) -> dict[str, ChannelEvidenceItem]:
    """Return the categories in the deciding test, by name; empty when two runs decided."""
    decided, evidence = finding.decided, finding.evidence
    if decided is None or evidence is None or decided.test not in {"known_change", "silent_drift"}:
        return {}
    known = decided.test == "known_change"
    rows = [row for row in evidence.channels if row.kind == "score" and (row.p_needed is not None) == known]
    return {row.channel: row for row in rows if row.delta is not None}


def moved_lines(decided: DecidingTestItem | None, comparison: ComparisonItem) -> list[str]:
    """Return a coloured line for each category and failure category that moved, falls first. The average can rise while
    one category collapses.
    """
    if decided is None:  # a finding of an earlier release
        rows = sorted((row for row in comparison.categories if row.moved), key=lambda row: row.effect)
        return [_line(row.category, row.effect, row.baseline, row.candidate, mix=False) for row in rows]
    return [_line(row.channel, row.effect, row.before, row.after, mix=row.kind == "mix") for row in decided.moved]


def _line(name: str, effect: float | None, before: float | None, after: float | None, *, mix: bool) -> str:
    label = plain(f"failures called {name}" if mix else name)
    if effect is None or before is None or after is None:
        return f"**{label}** moved"
    colour = "red" if (effect > 0) == mix else "green"
    return f":{colour}[**{points(effect)}** {label}: {percent(before)} → {percent(after)}]"


def _strength(decided: DecidingTestItem) -> str:
    if decided.e is not None and decided.e_needed is not None:
        return f", e {decided.e:.3g} (threshold {decided.e_needed:.3g})"
    if decided.p is None:
        return ""
    found = "p < 0.0001" if decided.p < 0.0001 else f"p {decided.p:.4f}"
    return f", {found}" if decided.p_needed is None else f", {found} (threshold {decided.p_needed:.2g})"
