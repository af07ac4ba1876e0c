"""The wire contract of the HTTP API: what goes over it, and nothing else. Dashboards import this package alone."""

from monitor.api.schema.alerts import (
    AlertItem,
    NotificationItem,
)
from monitor.api.schema.cause import CauseItem
from monitor.api.schema.changes import (
    AnnounceChange,
    ChangeItem,
    DeploymentItem,
    VersionItem,
)
from monitor.api.schema.comparisons import (
    CategoryEffectItem,
    ComparedCaseItem,
    ComparedSideItem,
    ComparisonItem,
    FailureShiftItem,
    FlipItem,
    WorstCaseItem,
)
from monitor.api.schema.findings import (
    AcceptFinding,
    BaselineItem,
    BridgeItem,
    ChannelEvidenceItem,
    EvidenceItem,
    FindingItem,
    NoiseEvidenceItem,
    NoiseItem,
)
from monitor.api.schema.leaks import LeakItem, LeaksFound, SearchedText, SearchLeaks
from monitor.api.schema.operations import (
    HealthItem,
    OrderRewrite,
    ReportItem,
    RewriteItem,
    SenderItem,
    StatusItem,
)
from monitor.api.schema.pins import EndPin, GoldenEvidenceItem, PinItem, PinRun
from monitor.api.schema.production import DayItem, ProductionEvidenceItem, ProductionSeriesItem
from monitor.api.schema.readings import CorrectionsItem, ReadingItem, SetVerdictItem
from monitor.api.schema.run_card import RunCard, RunFindingItem, StratumFailuresItem, StratumItem
from monitor.api.schema.runs import (
    CategoryCount,
    FailureCount,
    ForecastItem,
    OutcomeItem,
    ResumeRun,
    RunItem,
    ScoreItem,
    StartRun,
)
from monitor.api.schema.set_access import AccessItem, CaseExposureItem, ExposureItem
from monitor.api.schema.sets import (
    CandidateItem,
    CaseItem,
    ImportResult,
    ImportSet,
    RotatedKey,
    RotateKey,
    SetDiff,
    SetExport,
    SetItem,
)
from monitor.api.schema.traffic import (
    FeedbackItem,
    InteractionItem,
)
from monitor.api.schema.wire import (
    BatchResult,
    ListPage,
    Problem,
    Rejected,
    Wire,
)

__all__ = [
    "AcceptFinding",
    "AccessItem",
    "AlertItem",
    "AnnounceChange",
    "BaselineItem",
    "BatchResult",
    "BridgeItem",
    "CandidateItem",
    "CaseExposureItem",
    "CaseItem",
    "CategoryCount",
    "CategoryEffectItem",
    "CauseItem",
    "ChangeItem",
    "ChannelEvidenceItem",
    "ComparedCaseItem",
    "ComparedSideItem",
    "ComparisonItem",
    "CorrectionsItem",
    "DayItem",
    "DeploymentItem",
    "EndPin",
    "EvidenceItem",
    "ExposureItem",
    "FailureCount",
    "FailureShiftItem",
    "FeedbackItem",
    "FindingItem",
    "FlipItem",
    "ForecastItem",
    "GoldenEvidenceItem",
    "HealthItem",
    "ImportResult",
    "ImportSet",
    "InteractionItem",
    "LeakItem",
    "LeaksFound",
    "ListPage",
    "NoiseEvidenceItem",
    "NoiseItem",
    "NotificationItem",
    "OrderRewrite",
    "OutcomeItem",
    "PinItem",
    "PinRun",
    "Problem",
    "ProductionEvidenceItem",
    "ProductionSeriesItem",
    "ReadingItem",
    "Rejected",
    "ReportItem",
    "ResumeRun",
    "RewriteItem",
    "RotateKey",
    "RotatedKey",
    "RunCard",
    "RunFindingItem",
    "RunItem",
    "ScoreItem",
    "SearchLeaks",
    "SearchedText",
    "SenderItem",
    "SetDiff",
    "SetExport",
    "SetItem",
    "SetVerdictItem",
    "StartRun",
    "StatusItem",
    "StratumFailuresItem",
    "StratumItem",
    "VersionItem",
    "Wire",
    "WorstCaseItem",
]
