"""Settings of replays: how many at a time, what a run may cost, and what happens when its target is out."""

from pydantic import Field

from monitor.config.section import Section, why


class BudgetConfig(Section):
    """Hard limits of one run over all its starts, checked and recorded before every request.

    A run that meets one ends as `partial`, a fair sample, or `failed` when it was answered nothing.
    """

    usd: float | None = Field(
        default=None,
        gt=0,
        description="Money in US dollars; needs target.price.",
        json_schema_extra=why("a set that grew should not surprise anybody on the bill"),
    )
    tokens: int | None = Field(
        default=None,
        gt=0,
        description="Tokens, input and output together.",
        json_schema_extra=why("some accounts are limited by the day"),
    )
    requests: int | None = Field(
        default=None,
        gt=0,
        description="Requests to the target, those of retries, failed calls, rounds of tools and killed processes too.",
        json_schema_extra=why("an endpoint that answers nothing may still bill"),
    )
    minutes: float | None = Field(
        default=None,
        gt=0,
        description="Working time; a run that is resumed has it anew.",
        json_schema_extra=why("the replay must be over before the traffic of the day"),
    )


class PeriodBudgetConfig(Section):
    """Hard limits over all replays of a deployment in a day or a month of UTC, explaining an alarm included. A run that
    meets one ends as `partial`, or `failed` when it was answered nothing, and says when the limit is renewed.
    """

    usd: float | None = Field(
        default=None,
        gt=0,
        description="Money in US dollars; needs target.price.",
        json_schema_extra=why("several changes in a day are several replays"),
    )
    tokens: int | None = Field(
        default=None,
        gt=0,
        description="Tokens, input and output together.",
        json_schema_extra=why("some accounts are limited by the day"),
    )
    requests: int | None = Field(
        default=None,
        gt=0,
        description="Requests to the target, as in budget.requests.",
        json_schema_extra=why("an endpoint that answers nothing may still bill"),
    )


class ReplayConfig(Section):
    """What a run may cost, and how often it waits for a target that is out."""

    budget: BudgetConfig = Field(
        default=BudgetConfig(),
        description="Hard limits of one run.",
        json_schema_extra=why("no limit that you did not choose"),
    )
    daily_budget: PeriodBudgetConfig = Field(
        default=PeriodBudgetConfig(),
        description="Hard limits of all runs in a day of UTC.",
        json_schema_extra=why("no limit that you did not choose"),
    )
    monthly_budget: PeriodBudgetConfig = Field(
        default=PeriodBudgetConfig(),
        description="Hard limits of all runs in a month of UTC.",
        json_schema_extra=why("no limit that you did not choose"),
    )
    retries: int = Field(
        default=2,
        ge=0,
        le=20,
        description="How often a replay that nobody waits for is taken up again after an outage of its target.",
        json_schema_extra=why("most outages are over within the hour"),
    )
    retry_minutes: float = Field(
        default=10.0,
        gt=0,
        le=720,
        description="Wait before the first of them; doubled each time.",
        json_schema_extra=why("the same night, and not at once"),
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
        description="Calls in flight over all replays. Each of the deployments that are replayed at the same time gets "
        "an equal share, and never more than the concurrency of its target.",
        json_schema_extra=why("descriptors and bandwidth of one machine; no deployment takes the share of another"),
    )
