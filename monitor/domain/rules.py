"""The alerting rules: what can alert, how severe it is, and for how long it must last."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from monitor.domain.finding import Finding, ProductionSeries, ReadSource
from monitor.domain.production import Series

METRIC_RULE = "MetricRegression"


class Area(StrEnum):
    """The part of the system that a rule observes."""

    QUALITY = "quality"
    EVALUATION = "evaluation"
    TELEMETRY = "telemetry"
    SETS = "sets"
    DAEMON = "daemon"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """An alerting rule and its defaults. Each rule has a runbook page, docs/runbooks/NAME.md.

    `severity` is None when the evidence of each finding decides it: the severity of the cases that
    fell. An alert stays pending for `for_s` seconds before it fires. It keeps firing for `keep_firing_for_s` seconds
    after its condition became clear.
    """

    name: str
    area: Area
    severity: str | None
    summary: str
    for_s: float = 0.0
    keep_firing_for_s: float = 0.0


def _table(area: Area, *rules: tuple[str, str | None, str, float, float]) -> dict[str, Rule]:
    return {
        name: Rule(
            name=name, area=area, severity=severity, summary=summary, for_s=for_s, keep_firing_for_s=keep_firing_for_s
        )
        for name, severity, summary, for_s, keep_firing_for_s in rules
    }


# name, severity, summary, for, keep firing for
RULES: Mapping[str, Rule] = {
    **_table(
        Area.QUALITY,
        ("QualityRegression", None, "The pass rate of a set fell.", 0, 0),
        ("CategoryRegression", None, "The pass rate of one category of a set fell.", 0, 0),
        ("FailureMixShift", None, "A failure category became more frequent.", 0, 0),
        (METRIC_RULE, "warning", "A watched metric of a set fell.", 0, 0),
        ("SeverityGate", "critical", "A critical case with a forbidden text fails in fresh samples.", 0, 0),
        ("CorrectionRate", None, "Users correct more replies than before.", 0, 0),
        ("RefusalRate", None, "The model refuses more requests than before.", 0, 0),
        ("LatencyRegression", None, "Calls take longer than before.", 0, 0),
        ("CostRegression", None, "Calls cost more than before.", 0, 0),
        ("AvailabilityDrop", None, "More calls fail than before.", 0, 0),
        ("TrafficShift", None, "Questions and replies differ from the reference period.", 0, 0),
    ),
    **_table(
        Area.EVALUATION,
        ("ReplayMissed", "warning", "No replay ended after a planned time.", 0, 0),
        ("ReplayLate", "warning", "A replay takes much longer than usual.", 0, 0),
        ("ReplayFailed", "warning", "A replay failed.", 0, 0),
        ("ReplayPartial", "warning", "A replay ended before it attempted all cases.", 0, 0),
        ("ReplayInsufficient", "warning", "Too few cases of a replay have a score.", 0, 0),
        ("DynamicSetTooSmall", "info", "A dynamic set is empty or shares too few cases with earlier nights.", 0, 0),
        ("BudgetExhausted", "warning", "A budget is spent; replays wait or end early.", 0, 21_600),
        ("TargetUnreachable", "warning", "The target of a deployment cannot be reached.", 0, 300),
        ("TargetUnauthorized", "critical", "The target of a deployment rejects the credentials.", 0, 300),
        ("JudgeDrift", "warning", "A judge grades the same replies differently than before.", 0, 0),
        ("ResultsNotImported", "warning", "Results of another tool cannot be read or imported.", 120, 0),
        ("ChangeNotEvaluated", "warning", "A change was detected and has no verdict yet.", 0, 0),
    ),
    **_table(
        Area.TELEMETRY,
        ("TrafficStopped", "warning", "A deployment sends no more calls.", 0, 300),
        ("IngestRejecting", "warning", "driftd rejects many requests of senders.", 300, 300),
        ("IngestLagging", "warning", "Records wait too long until they are stored.", 300, 300),
        ("DeadLetters", "warning", "Many records cannot be decoded.", 0, 300),
        ("KafkaStalled", "critical", "A Kafka partition makes no progress.", 0, 0),
        ("DiskNearlyFull", "critical", "The disk of the store is nearly full.", 60, 300),
        ("IngestPaused", "critical", "driftd stores no new records, because its disk is nearly full.", 30, 0),
        ("StoreReadOnly", "critical", "The store cannot be written.", 0, 60),
        ("DatabaseRowsMissing", "critical", "Committed rows are missing in the database.", 0, 0),
        ("AuditLogBroken", "critical", "Entries of the audit log were changed or removed.", 0, 0),
    ),
    **_table(
        Area.SETS,
        ("SetLeaked", "critical", "Cases of a private set appeared outside.", 0, 0),
        ("ExposureBudgetSpent", "warning", "Cases of a set were shown more often than its budget allows.", 0, 0),
        ("SetSaturated", "info", "Many cases of a set have the same score under every version.", 0, 0),
        ("SetStale", "info", "A set no longer represents the traffic.", 0, 0),
        ("CandidatesWaiting", "info", "Candidates wait for review for too long.", 0, 0),
    ),
    **_table(
        Area.DAEMON,
        ("Watchdog", "info", "driftd runs. This alert always fires.", 0, 0),
        ("ReceiverFailing", "critical", "A receiver of alerts cannot be reached or rejects them.", 0, 0),
        ("CertificateNotRenewed", "warning", "A certificate expires soon, or its new files cannot be used.", 0, 0),
    ),
}

_OF_SERIES: Mapping[Series, str] = {
    Series.CORRECTIONS: "CorrectionRate",
    Series.IMPLICIT_CORRECTIONS: "CorrectionRate",
    Series.REFUSALS: "RefusalRate",
    Series.AVAILABILITY: "AvailabilityDrop",
    Series.LATENCY: "LatencyRegression",
    Series.COST: "CostRegression",
    Series.TRAFFIC: "TrafficShift",
}


def rule_of(finding: Finding) -> str:
    """Return the name of the rule that the finding is about.

    A finding on a set is about the channel that its deciding test reports. Findings of releases without rules on a
    source are about Kafka.
    """
    if finding.rule is not None or finding.metric is not None:
        return finding.rule or METRIC_RULE
    subject = finding.subject
    if isinstance(subject, ProductionSeries):
        return _OF_SERIES[subject.series]
    if isinstance(subject, ReadSource):
        return "KafkaStalled"
    if finding.decided is None:
        return "QualityRegression"
    lead = finding.decided.lead
    if lead.kind == "mix":
        return "FailureMixShift"
    return "QualityRegression" if lead.channel == "overall" else "CategoryRegression"


def category_of(finding: Finding) -> str | None:
    """Return the category, or the failure category, that the deciding test reports; None for all cases together."""
    if finding.decided is None or finding.decided.lead.channel == "overall":
        return None
    return finding.decided.lead.channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Inhibition:
    """While a source alert fires, target alerts send no notifications. With `same_deployment`, only those of its
    deployment. With `same_set`, only those of its deployment and set, and also while the source is pending.
    """

    sources: frozenset[str]
    targets: frozenset[str]
    same_deployment: bool
    same_set: bool = False


_REPLAY_RESULTS = frozenset({"ReplayFailed", "ReplayPartial", "ReplayInsufficient", "ReplayMissed", "ReplayLate"})
_SCORES = frozenset({"QualityRegression", "CategoryRegression", "FailureMixShift", "SeverityGate"})
_PRODUCTION = frozenset(_OF_SERIES.values())

INHIBITIONS: tuple[Inhibition, ...] = (
    Inhibition(
        sources=frozenset({"TargetUnreachable", "TargetUnauthorized"}),
        targets=_SCORES | _REPLAY_RESULTS | {METRIC_RULE, "ChangeNotEvaluated"},
        same_deployment=True,
    ),
    Inhibition(
        sources=frozenset({"BudgetExhausted"}),
        targets=_REPLAY_RESULTS | {"ChangeNotEvaluated"},
        same_deployment=True,
    ),
    Inhibition(
        sources=frozenset({"KafkaStalled", "IngestRejecting", "IngestLagging"}),
        targets=_PRODUCTION | {"TrafficStopped"},
        same_deployment=False,
    ),
    Inhibition(
        sources=frozenset({"StoreReadOnly"}),
        targets=_REPLAY_RESULTS | {"ChangeNotEvaluated", "IngestRejecting", "IngestLagging"},
        same_deployment=False,
    ),
    Inhibition(
        sources=frozenset({"IngestPaused"}),
        targets=_REPLAY_RESULTS
        | _PRODUCTION
        | {
            "ChangeNotEvaluated",
            "DiskNearlyFull",
            "IngestRejecting",
            "IngestLagging",
            "KafkaStalled",
            "ResultsNotImported",
            "TrafficStopped",
        },
        same_deployment=False,
    ),
    Inhibition(sources=_SCORES, targets=frozenset({METRIC_RULE}), same_deployment=True, same_set=True),
    Inhibition(sources=frozenset({"DiskNearlyFull"}), targets=frozenset({"IngestLagging"}), same_deployment=False),
)
