"""Settings of alerting rules, escalation, flapping, the Watchdog and maintenance windows."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from monitor.config.calendar.windows import WindowConfig
from monitor.config.section import Name, Section, why
from monitor.domain.rules import RULES
from monitor.domain.silence import MalformedMatcher, matcher_of


def _known_rule(name: str) -> str:
    if name not in RULES:
        raise ValueError(f"rule {name!r} is unknown; known: {', '.join(RULES)}")
    return name


Rule = Annotated[str, AfterValidator(_known_rule)]


class RuleConfig(Section):
    """Settings of one alerting rule. A key that is not given has the default of the rule."""

    enabled: bool = Field(
        default=True,
        description="Whether the rule opens alerts. Its findings are stored in any case.",
        json_schema_extra=why("every rule is on, because a rule that is off cannot warn"),
    )
    severity: Literal["info", "warning", "critical"] | None = Field(
        default=None,
        description="Severity of the alerts of this rule. Default: that of the rule, or of the cases that fell.",
        json_schema_extra=why("the severity of the cases shows how bad a regression is"),
    )
    for_s: float | None = Field(
        default=None,
        ge=0,
        description="Seconds for which the condition must last before the alert fires.",
        json_schema_extra=why("each rule has its own default: a test over nights needs no delay, a queue does"),
    )
    keep_firing_for_s: float | None = Field(
        default=None,
        ge=0,
        description="Seconds for which the alert keeps firing after its condition became clear.",
        json_schema_extra=why("an alert that resolves and fires again within minutes disturbs twice"),
    )
    repeat_s: float | None = Field(
        default=None,
        ge=60,
        description="Seconds until a firing alert of this rule is sent again. Default: alerts.repeat_s.",
        json_schema_extra=why("one interval for all rules is easier to remember"),
    )
    receivers: tuple[Name, ...] = Field(
        default=(),
        description="Names of the receivers of this rule. Default: alerts.receivers.",
        json_schema_extra=why("most teams have one pager"),
    )


class EscalationConfig(Section):
    """Notifies more receivers of an alert that fires and is not acknowledged."""

    after_s: float = Field(
        default=1800.0,
        ge=60,
        description="Seconds from the first notification until the alert escalates.",
        json_schema_extra=why("half an hour: the first person had time to see the page"),
    )
    receivers: tuple[Name, ...] = Field(
        default=(),
        description="Names of the receivers of an escalation. Default: none, so nothing escalates.",
        json_schema_extra=why("pagers such as PagerDuty escalate by themselves"),
    )
    severity: Literal["info", "warning", "critical"] = Field(
        default="critical",
        description="Mildest severity that escalates.",
        json_schema_extra=why("a warning can wait until the morning"),
    )


class WatchdogConfig(Section):
    """Sends an alert that always fires to receivers of its own. They report when it stops: a heartbeat URL of a
    monitoring service, or Alertmanager with a rule on its absence.
    """

    receivers: tuple[Name, ...] = Field(
        default=(),
        description="Names of its receivers, for example a webhook with a heartbeat URL. Default: none, and no signal.",
        json_schema_extra=why("a pager would page for an alert that always fires"),
    )
    every_s: float = Field(
        default=60.0,
        ge=5,
        le=86_400,
        description="Seconds between two signals. Set the period of the monitoring service to this and some grace.",
        json_schema_extra=why("monitoring services expect a signal every few minutes"),
    )


class FlappingConfig(Section):
    """Holds an alert that fires and resolves again and again."""

    episodes: int = Field(
        default=3,
        ge=1,
        description="Number of resolved episodes within the window from which the next episode is held.",
        json_schema_extra=why("after three episodes the person knows that the alert comes back"),
    )
    window_h: float = Field(
        default=168.0,
        gt=0,
        description="Length of the window in hours.",
        json_schema_extra=why("a replay runs once a night, so a week has at most seven episodes"),
    )
    clear_h: float = Field(
        default=24.0,
        ge=0,
        description="Hours for which the condition must be clear before a flapping alert resolves.",
        json_schema_extra=why("one good night is no proof after three episodes in a week"),
    )


class MaintenanceConfig(WindowConfig):
    """A recurring window in which matching alerts send no notifications. They still open, fire and resolve."""

    matchers: tuple[str, ...] = Field(
        default=(),
        description='Conditions on labels that an alert must meet, for example deployment="bot". Default: all alerts.',
        json_schema_extra=why("maintenance of one product must not hide the others"),
    )

    @field_validator("matchers")
    @classmethod
    def _can_be_read(cls, matchers: tuple[str, ...]) -> tuple[str, ...]:
        for text in matchers:
            try:
                matcher_of(text)
            except MalformedMatcher as error:
                raise ValueError(str(error)) from None
        return matchers
