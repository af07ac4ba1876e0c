"""What is found of production traffic, in one sentence each."""

from collections.abc import Mapping

from monitor.domain.finding import Verdict
from monitor.domain.production import ProductionEvidence, ProductionPolicy, Series
from monitor.drift.judge.wording import percent, signed_points
from monitor.drift.production.verdict import SeriesVerdict

_WHAT: Mapping[Series, str] = {
    Series.CORRECTIONS: "the share of answers that were corrected",
    Series.REFUSALS: "the share of answers that refuse",
    Series.AVAILABILITY: "the share of calls that are answered",
    Series.LATENCY: "the median latency",
    Series.COST: "the median cost of a call",
    Series.TRAFFIC: "traffic",
}
_NAMED = 3  # columns of the traffic in a sentence


def reason_of(judged: SeriesVerdict, evidence: ProductionEvidence, series: Series, policy: ProductionPolicy) -> str:
    """Why the verdict is what it is."""
    what = _WHAT[series]
    if judged.verdict in {Verdict.REGRESSION, Verdict.IMPROVEMENT}:
        return _moved(what, evidence)
    if judged.forgotten is not None:
        return (
            f"the days before {judged.forgotten} that {what} was measured by are not kept any more; accept the level "
            "of now if it is fine"
        )
    if judged.verdict is Verdict.INSUFFICIENT:
        return _missing(what, judged, policy)
    if judged.recovered is not None:
        return f"{what} is back where it was since {judged.recovered}"
    return f"{what} is what it was: {judged.days} days, e = {evidence.e or 0.0:.2g}, {evidence.e_needed:.2g} needed"


def traffic_reason(evidence: ProductionEvidence, verdict: Verdict, *, settled: bool) -> str:
    if verdict is Verdict.DRIFT:
        named = ", ".join(list(evidence.columns)[:_NAMED])
        return (
            f"traffic has drifted since {evidence.onset}, most of all {named}; no regression, but the private set may "
            "no longer stand for what users ask"
        )
    if settled:
        return f"what is new counts as usual; {evidence.missing} more days until the next verdict on traffic"
    if verdict is Verdict.INSUFFICIENT:
        return f"{evidence.missing} more days are needed to know what traffic is usual"
    return f"traffic is what it was: {evidence.days} days, e = {evidence.e or 0.0:.2g}, {evidence.e_needed:.2g} needed"


def amount(value: float, unit: str) -> str:
    """A value of a series as people read it."""
    if unit == "share":
        return percent(value)
    return f"{value:.0f} ms" if unit == "ms" else f"{value:.3g} USD"


def difference(value: float, unit: str) -> str:
    return signed_points(value) if unit == "share" else f"{100 * value:+.0f} %"


def _moved(what: str, evidence: ProductionEvidence) -> str:
    before, after, effect = evidence.before, evidence.after, evidence.effect
    if before is None or after is None or effect is None or evidence.interval is None:
        raise ValueError(f"{what} moved, and its evidence does not say from where to where")
    verb = "rose" if effect > 0 else "fell"
    low, high = (difference(end, evidence.unit) for end in evidence.interval)
    of = " points" if evidence.unit == "share" else ""
    return (
        f"{what} {verb} from {amount(before, evidence.unit)} to {amount(after, evidence.unit)} since "
        f"{evidence.onset}: {difference(effect, evidence.unit)}{of}, 95 % interval {low} to {high}"
    )


def _missing(what: str, judged: SeriesVerdict, policy: ProductionPolicy) -> str:
    if policy.history_days <= policy.baseline_days:
        return (
            f"retention keeps {policy.history_days} whole days to look at, more than {policy.baseline_days} are needed "
            f"to know what is usual of {what}"
        )
    return f"{judged.days} days with data; {judged.missing} more are needed to know what is usual of {what}"
