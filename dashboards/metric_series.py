"""The metrics of a set as points of charts, and their names for people. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from dashboards.charts.trends import TrendPoint
from dashboards.formatting import count, plain
from monitor.api.schema import RunItem
from monitor.api.schema.metrics import MetricItem, MetricNightItem, SetMetricsItem

JUDGE_COLOUR = {"validated": "green", "unvalidated": "orange", "drifted": "red"}
NOT_CRITERIA = ("agreement", "judge-")  # components about the judges, not about the reply


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRuns:
    """The runs of a chart, oldest first: their versions and the segments between version changes."""

    key: str
    labels: Mapping[str, str]
    segments: Mapping[str, int]

    @classmethod
    def of(cls, runs: Sequence[RunItem]) -> "MetricRuns":
        changed = (int(before.version != after.version) for before, after in pairwise(runs))
        segments = list(accumulate(changed, initial=0))[: len(runs)]
        return cls(
            key=f"{runs[0].deployment} {runs[0].set_name}" if runs else "",
            labels={run.id: run.version_label or run.version or "unknown version" for run in runs},
            segments={run.id: segment for run, segment in zip(runs, segments, strict=True)},
        )

    @property
    def versions(self) -> list[str]:
        """The labels of the versions, in the order of their first run."""
        return list(dict.fromkeys(self.labels.values()))


def trend_of(metric: MetricItem, runs: MetricRuns, places: Mapping[str, float]) -> list[TrendPoint]:
    """Return the points of a metric at the places of their runs; nights of other runs are left out."""
    return [
        TrendPoint(
            at=night.at,
            order=places[night.run_id],
            series=runs.labels[night.run_id],
            line=str(runs.segments[night.run_id]),
            label=runs.labels[night.run_id],
            value=night.mean,
            low=night.low,
            high=night.high,
            cases=f"{count(night.scored, 'scored case')}",
        )
        for night in metric.nights
        if night.run_id in places
    ]


def newest_night(metric: MetricItem) -> MetricNightItem | None:
    return metric.nights[-1] if metric.nights else None


def title_of(metric: MetricItem) -> str:
    """Return the name of a metric with badges: whether it decides, and the standing of its judge."""
    parts = [plain(metric.metric or "verdict")]
    parts += [":blue-badge[decides]"] if metric.decides else [":gray-badge[watched]"] if metric.watched else []
    if metric.judge is not None:
        parts.append(f":{JUDGE_COLOUR[metric.judge.state]}-badge[judge {metric.judge.state}]")
    return " ".join(parts)


def decision_of(found: SetMetricsItem) -> str:
    """Return the sentence on what decides the verdict of the set."""
    deciding = [f"**{plain(metric.metric or '')}**" for metric in found.metrics if metric.decides]
    watched = sum(metric.watched for metric in found.metrics)
    if not deciding:
        lead = "The composite of the set decides its verdict."
    elif len(deciding) == 1:
        lead = f"{deciding[0]} decides the verdict of the set."
    else:
        lead = f"The lowest of {', '.join(deciding)} decides the verdict of a sample."
    return f"{lead} {_watched(watched)}." if watched else lead


def components(found: SetMetricsItem) -> dict[str, list[MetricItem]]:
    """Return the components of each scorer that has some, without those about its judges."""
    by_scorer: dict[str, list[MetricItem]] = {}
    for metric in found.metrics:
        scorer, _, component = (metric.metric or "").partition(".")
        if component and not component.startswith(NOT_CRITERIA):
            by_scorer.setdefault(scorer, []).append(metric)
    return by_scorer


def _watched(metrics: int) -> str:
    verb = "is" if metrics == 1 else "are"
    return f"{count(metrics, 'metric')} {verb} watched, with findings and warnings of their own"
