"""Thresholds of the alerting rules about driftd's own health."""

from pydantic import Field

from monitor.config.section import Section, why
from monitor.domain.check_policy import CheckPolicy


class ChecksConfig(Section):
    """When a condition of driftd's own health fires. `alerts.rules` has the severity and the delay of each rule."""

    replay_start_minutes: float = Field(
        default=120.0,
        gt=0,
        description="ReplayLate: a run that has not started this many minutes after it was due is late.",
        json_schema_extra=why("a run waits only for another run of its deployment, and then it is not late"),
    )
    replay_late_factor: float = Field(
        default=3.0,
        gt=1,
        description="ReplayLate: a run is late when it runs for this many times its usual duration.",
        json_schema_extra=why("the median of the last ten complete runs varies by less than a factor of two"),
    )
    replay_late_minutes: float = Field(
        default=30.0,
        ge=0,
        description="ReplayLate: a run is never late before it ran for this many minutes.",
        json_schema_extra=why("three times a short run is still short"),
    )
    change_hours: float = Field(
        default=24.0,
        gt=0,
        description="ChangeNotEvaluated: hours from a change to the first verdict on each set.",
        json_schema_extra=why("a replay starts at once after a change, so a day has room for an outage"),
    )
    target_failed_share: float = Field(
        default=0.5,
        gt=0,
        le=1,
        description="TargetUnreachable, TargetUnauthorized: share of a run's calls that fail because of the target.",
        json_schema_extra=why("a few timeouts in a night concern single cases"),
    )
    ingest_window_minutes: float = Field(
        default=10.0,
        ge=1,
        le=60,
        description="IngestRejecting, DeadLetters: length of the window in minutes.",
        json_schema_extra=why("ten minutes contain enough requests, and a burst is not averaged away"),
    )
    ingest_fewest: int = Field(
        default=20,
        ge=1,
        description="IngestRejecting, DeadLetters: fewest refused requests, or dead letters, in the window.",
        json_schema_extra=why("a share of a few requests is chance"),
    )
    refused_share: float = Field(
        default=0.05,
        gt=0,
        le=1,
        description="IngestRejecting: share of the requests that driftd refuses.",
        json_schema_extra=why("senders retry a refused request, so a few cause no loss"),
    )
    dead_letter_share: float = Field(
        default=0.02,
        gt=0,
        le=1,
        description="DeadLetters: share of the records that cannot be decoded.",
        json_schema_extra=why("a change of an exporter breaks many records, a bad record is one"),
    )
    intake_share: float = Field(
        default=0.9,
        gt=0,
        le=1,
        description="IngestLagging: filled share of the intake.",
        json_schema_extra=why("a full intake refuses requests with 429"),
    )
    commit_wait_s: float = Field(
        default=30.0,
        gt=0,
        description="IngestLagging: seconds from the arrival of a batch to its commit.",
        json_schema_extra=why("an OTLP exporter gives up after 10 seconds and sends the batch again"),
    )
    disk_free_share: float = Field(
        default=0.05,
        ge=0,
        lt=1,
        description="DiskNearlyFull: free share of the disk, while less than ten times disk_free_gb is free.",
        json_schema_extra=why("5 %, as in the rules of node exporter"),
    )
    disk_free_gb: float = Field(
        default=2.0,
        ge=0,
        description="DiskNearlyFull: free space of the disk in GB, whatever its share.",
        json_schema_extra=why("a checkpoint and a compaction write temporary files"),
    )
    candidate_days: float = Field(
        default=14.0,
        gt=0,
        description="CandidatesWaiting: days for which a candidate may wait for review.",
        json_schema_extra=why("older corrections describe questions that users no longer ask"),
    )
    candidates_most: int = Field(
        default=200,
        ge=1,
        description="CandidatesWaiting: number of candidates that may wait for review.",
        json_schema_extra=why("more than a person reviews in an hour or two"),
    )
    traffic_false_alarms: float = Field(
        default=0.5,
        gt=0,
        le=50,
        description="TrafficStopped: upper limit of the expected false alarms of a deployment in a year.",
        json_schema_extra=why("one in two years; a busy deployment is still found silent within two hours"),
    )

    def policy(self) -> CheckPolicy:
        """Return the thresholds in seconds and bytes."""
        return CheckPolicy(
            replay_start_s=self.replay_start_minutes * 60,
            replay_late_factor=self.replay_late_factor,
            replay_late_least_s=self.replay_late_minutes * 60,
            change_s=self.change_hours * 3600,
            target_failed_share=self.target_failed_share,
            ingest_window_s=self.ingest_window_minutes * 60,
            ingest_fewest=self.ingest_fewest,
            refused_share=self.refused_share,
            dead_letter_share=self.dead_letter_share,
            intake_share=self.intake_share,
            commit_wait_s=self.commit_wait_s,
            disk_free_share=self.disk_free_share,
            disk_free_bytes=self.disk_free_gb * 1e9,
            candidate_age_s=self.candidate_days * 86_400,
            candidates_most=self.candidates_most,
            traffic_false_alarms=self.traffic_false_alarms,
        )
