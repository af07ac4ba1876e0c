"""Settings of replays: concurrency, budgets, and waits for an unavailable target."""

from pydantic import Field

from monitor.config.section import Section, why


class BudgetConfig(Section):
    """Hard limits of one run over all its starts. driftd checks and records them before every request.

    A run that reaches a limit ends as `partial` with a random sample of its cases, or as `failed` without any answer.
    """

    usd: float | None = Field(
        default=None,
        gt=0,
        description="Cost in US dollars; needs target.price.",
        json_schema_extra=why("a set that grew should not cause an unexpected bill"),
    )
    tokens: int | None = Field(
        default=None,
        gt=0,
        description="Input and output tokens together.",
        json_schema_extra=why("some accounts have daily token limits"),
    )
    requests: int | None = Field(
        default=None,
        gt=0,
        description="Requests to the target, including retries, failed calls, rounds of tools and killed processes.",
        json_schema_extra=why("an endpoint may bill calls without an answer"),
    )
    minutes: float | None = Field(
        default=None,
        gt=0,
        description="Working time; a resumed run starts again at zero.",
        json_schema_extra=why("the replay must end before the traffic of the day"),
    )


class PeriodBudgetConfig(Section):
    """Hard limits over all replays of a deployment in a UTC day or month, including the cause analysis of alarms. A run
    that reaches a limit ends as `partial`, or as `failed` without any answer; the reason names the time at which the
    limit renews.
    """

    usd: float | None = Field(
        default=None,
        gt=0,
        description="Cost in US dollars; needs target.price.",
        json_schema_extra=why("several changes in a day cause several replays"),
    )
    tokens: int | None = Field(
        default=None,
        gt=0,
        description="Input and output tokens together.",
        json_schema_extra=why("some accounts have daily token limits"),
    )
    requests: int | None = Field(
        default=None,
        gt=0,
        description="Requests to the target, as in budget.requests.",
        json_schema_extra=why("an endpoint may bill calls without an answer"),
    )


class ReplayConfig(Section):
    """Budget of a run, and how often it waits for an unavailable target."""

    budget: BudgetConfig = Field(
        default=BudgetConfig(),
        description="Hard limits of one run.",
        json_schema_extra=why("driftd sets no limits by default"),
    )
    daily_budget: PeriodBudgetConfig = Field(
        default=PeriodBudgetConfig(),
        description="Hard limits of all runs of a UTC day.",
        json_schema_extra=why("driftd sets no limits by default"),
    )
    monthly_budget: PeriodBudgetConfig = Field(
        default=PeriodBudgetConfig(),
        description="Hard limits of all runs of a UTC month.",
        json_schema_extra=why("driftd sets no limits by default"),
    )
    retries: int = Field(
        default=2,
        ge=0,
        le=20,
        description="How often an unattended replay resumes after an outage of its target.",
        json_schema_extra=why("most outages end within an hour"),
    )
    retry_minutes: float = Field(
        default=10.0,
        gt=0,
        le=720,
        description="Minutes before the first resumption; the wait before each further one is twice as long.",
        json_schema_extra=why("in the same night, but not immediately"),
    )


class ReplaysConfig(Section):
    """Global limits of replays, over all deployments."""

    max_parallel: int = Field(
        default=8,
        ge=1,
        le=64,
        description="Deployments that are replayed at the same time. Deployments that share a target take turns.",
        json_schema_extra=why("one slow target must not delay the others"),
    )
    max_calls: int = Field(
        default=256,
        ge=1,
        le=65_536,
        description=(
            "Calls in flight over all replays. Deployments that are replayed at the same time get equal shares, "
            "at most the concurrency of their target."
        ),
        json_schema_extra=why(
            "one machine has limited descriptors and bandwidth; no deployment takes the share of another"
        ),
    )
