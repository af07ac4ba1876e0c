"""The reasoning behind a finding on production traffic, step by step."""

from collections.abc import Iterator

from monitor.api.schema import FindingItem, ProductionEvidenceItem

_COUNTED = {
    "corrections": "answered calls with a correction, given within the late days; a UTC day is a point",
    "refusals": "answers that begin like a refusal, of those whose text is known; a UTC day is a point",
    "availability": "calls that did not fail; a UTC day is a point",
    "latency": "median duration of the calls that went well; a UTC day is a point",
    "cost": "median price of a call, by the target's price; a UTC day is a point",
    "traffic": "distances of each day's questions and answers from the weeks before",
}
_RATE = "each day against the earlier days of its weekday (conditional on both, so that small days weigh little)"
_LEVEL = "the rank of each day's median against the earlier days of its weekday: one wild day is a rank, not a million"
_TRAFFIC = "the rank of each day's distances against the earlier days of its weekday, averaged over columns"


def series_steps(finding: FindingItem, evidence: ProductionEvidenceItem) -> Iterator[tuple[str, str]]:
    """Name of each step and what it says; the verdict comes after them."""
    series = finding.series or "traffic"
    yield "judged", f"production {series} of {finding.deployment}, up to {finding.day}."
    yield "counted", f"{_COUNTED[series]}. A day without calls is missing, never zero."
    more = f"; {evidence.missing} more are needed" if evidence.missing else ""
    yield "days", f"{evidence.days} were looked at{more}."
    yield "test", f"{_TRAFFIC if series == 'traffic' else _RATE if evidence.unit == 'share' else _LEVEL}."
    e = "none yet" if evidence.e is None else f"e = {evidence.e:.4g}"
    yield "evidence", f"{e}, {evidence.e_needed:.4g} needed (alpha {finding.alpha:.2g} is this series' share)."
    if evidence.columns:
        told = ", ".join(f"{name} {'-' if e is None else f'{e:.3g}'}" for name, e in evidence.columns.items())
        yield "columns", f"evidence of each, the strongest first: {told}."
    if evidence.onset is not None:
        yield "onset", f"{evidence.onset}."
    if evidence.effect is not None and evidence.interval is not None:
        yield "change", f"{_change(evidence.effect, evidence.interval, evidence.unit)}."
    if evidence.day_noise is not None:
        unit = "points" if evidence.unit == "share" else "%"
        yield "noise", f"days differ by {100 * evidence.day_noise:.2f} {unit} by themselves (one standard deviation)."
    if evidence.report is not None:
        yield "report", f"driftd report show {evidence.report}."


def _change(effect: float, interval: tuple[float, float], unit: str) -> str:
    of = "points" if unit == "share" else "%"
    low, high = interval
    return f"{100 * effect:+.2f} {of}, 95 % interval {100 * low:+.2f} to {100 * high:+.2f}, same weekdays before"
