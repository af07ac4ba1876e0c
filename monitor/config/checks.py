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

    def policy(self) -> CheckPolicy:
        """Return the thresholds in seconds and bytes."""
        return CheckPolicy(
            replay_start_s=self.replay_start_minutes * 60,
            replay_late_factor=self.replay_late_factor,
            replay_late_least_s=self.replay_late_minutes * 60,
        )
