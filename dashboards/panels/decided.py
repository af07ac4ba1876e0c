"""The numbers of the test that decided a finding: what a page shows, and nothing of another test."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.words import count, percent, plain, points
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
    "silent_drift": "evidence over nights",
    "open_alert": "newest nights against those before the alert",
    "pinned_run": "newest week against the pinned run",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RatesShown:
    """Rates and difference to show: those of the deciding test, else those of the two runs."""

    channel: str
    cases: int
    before: float
    after: float
    effect: float
    low: float
    high: float


def shown_of(comparison: ComparisonItem, decided: DecidingTestItem | None) -> RatesShown:
    """A failure category decides on its own share; the rate on the page is then that of the two runs."""
    if decided is None or decided.kind == "mix":
        return _of_comparison(comparison)
    lead = decided.overall or decided
    if None in {lead.cases, lead.before, lead.after, lead.effect} or lead.interval is None:
        return _of_comparison(comparison)
    return RatesShown(
        channel=lead.channel,
        cases=lead.cases or 0,
        before=lead.before or 0.0,
        after=lead.after or 0.0,
        effect=lead.effect or 0.0,
        low=lead.interval[0],
        high=lead.interval[1],
    )


def _of_comparison(comparison: ComparisonItem) -> RatesShown:
    return RatesShown(
        channel="overall",
        cases=comparison.n,
        before=comparison.baseline,
        after=comparison.candidate,
        effect=comparison.effect,
        low=comparison.ci_low,
        high=comparison.ci_high,
    )


def sentence(decided: DecidingTestItem) -> str:
    """`Decided by: nights before and after the change, p 0.0003 (at most 0.0014).`"""
    where = "" if decided.channel == "overall" else f", {decided.channel}"
    return f"Decided by: {TEST[decided.test]}{where}{_strength(decided)}."


def smallest(decided: DecidingTestItem) -> str | None:
    """What the test finds tonight, and within how many nights; None where it has no smallest effect."""
    if not decided.detectable:
        return None
    first = decided.detectable[0]
    where = "" if decided.channel == "overall" else f" in {plain(decided.channel)}"
    if first.scenario == "two_runs":
        return f"This test finds a change of {100 * first.effect:.1f} points{where}, four times in five."
    what = "change" if first.scenario == "pinned_run" else "fall"
    return f"This test finds a {what} of {horizons(decided.detectable, where)}, four times in five."


def horizons(effects: Sequence[DetectableEffectItem], where: str = "") -> str:
    """`6.1 points in refunds tonight and of 2.4 within 7 nights`"""
    said: list[str] = []
    for each in effects:
        size = f"{100 * each.effect:.1f}"
        when = "tonight" if each.nights == 1 else f"within {count(each.nights, 'night')}"
        said.append(f"of {size} {when}" if said else f"{size} points{where} {when}")
    return " and ".join(said)


def channel_rows(finding: FindingItem) -> dict[str, ChannelEvidenceItem]:
    """The categories as the deciding test saw them, by name; empty where two runs decided."""
    decided, evidence = finding.decided, finding.evidence
    if decided is None or evidence is None or decided.test not in {"known_change", "silent_drift"}:
        return {}
    known = decided.test == "known_change"
    rows = [row for row in evidence.channels if row.kind == "score" and (row.p_needed is not None) == known]
    return {row.channel: row for row in rows if row.delta is not None}


def moved_lines(decided: DecidingTestItem | None, comparison: ComparisonItem) -> list[str]:
    """A coloured line for each category, and failure category, that was found to move; falls first. An average can
    rise over a category that collapses.
    """
    if decided is None:  # a finding of an earlier release
        rows = sorted((row for row in comparison.categories if row.moved), key=lambda row: row.effect)
        return [_line(row.category, row.effect, row.baseline, row.candidate, mix=False) for row in rows]
    return [_line(row.channel, row.effect, row.before, row.after, mix=row.kind == "mix") for row in decided.moved]


def _line(name: str, effect: float | None, before: float | None, after: float | None, *, mix: bool) -> str:
    shown = plain(f"failures called {name}" if mix else name)
    if effect is None or before is None or after is None:
        return f"**{shown}** moved"
    colour = "red" if (effect > 0) == mix else "green"
    return f":{colour}[**{points(effect)}** {shown}: {percent(before)} → {percent(after)}]"


def _strength(decided: DecidingTestItem) -> str:
    if decided.e is not None and decided.e_needed is not None:
        return f", e {decided.e:.3g} ({decided.e_needed:.3g} needed)"
    if decided.p is None:
        return ""
    found = "p < 0.0001" if decided.p < 0.0001 else f"p {decided.p:.4f}"
    return f", {found}" if decided.p_needed is None else f", {found} (at most {decided.p_needed:.2g})"
