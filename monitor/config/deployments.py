"""Settings of deployments: what is watched, what counts as a change, and when worse is worse."""

from typing import Literal

from pydantic import Field

from monitor.config.production import ProductionConfig
from monitor.config.redaction import DeploymentRedactionConfig
from monitor.config.replay import ReplayConfig
from monitor.config.section import Name, Section, why

IdentityField = Literal["response_model", "prompt", "request_model"]


class ChangesConfig(Section):
    """When a difference in traffic is a change."""

    min_interactions: int = Field(
        default=20,
        ge=1,
        description="A new identity counts as a version from so many interactions on.",
        json_schema_extra=why("one stray call by hand is no deployment"),
    )
    takeover_share: float = Field(
        default=0.8,
        gt=0.5,
        le=1,
        description="A known version is current again when it serves this share of the newest interactions.",
        json_schema_extra=why("a canary of a few percent is no rollback"),
    )
    fingerprint_alpha: float = Field(
        default=0.001,
        gt=0,
        lt=1,
        description="System fingerprints have shifted at this p-value, and fingerprint_distance.",
        json_schema_extra=why("a provider alternates between backends all day"),
    )
    fingerprint_distance: float = Field(
        default=0.5,
        gt=0,
        le=1,
        description="Smallest total variation distance between fingerprints before and now that counts.",
        json_schema_extra=why("half of the traffic must have moved to backends not seen before"),
    )


class DriftConfig(Section):
    """When a comparison is a regression."""

    alpha_change: float = Field(
        default=0.05,
        gt=0,
        lt=1,
        description="Chance of a false alarm for each known change, over the overall test and all categories.",
        json_schema_extra=why("a change asks a question; one wrong answer in twenty is the usual price"),
    )
    alpha_silent: float = Field(
        default=0.05,
        gt=0,
        lt=1,
        description="Chance of any false alarm over all scheduled nights of the horizon together.",
        json_schema_extra=why("quiet nights must stay quiet"),
    )
    horizon_nights: int = Field(
        default=180,
        ge=1,
        description="Nights that share alpha_silent, and days that share production.alpha.",
        json_schema_extra=why("half a year of nightly replays"),
    )
    min_cases: int = Field(
        default=30,
        ge=1,
        description="Fewer scored pairs than this are insufficient, never a verdict.",
        json_schema_extra=why("fewer pairs cannot show a drop of 20 points"),
    )
    min_scored_share: float = Field(
        default=0.9,
        gt=0,
        le=1,
        description="A run with a smaller share of scored cases is insufficient.",
        json_schema_extra=why("what failed to answer is not like what answered"),
    )
    min_effect: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="A significant overall drop smaller than this fraction is no regression.",
        json_schema_extra=why("every real drop is told until you say which ones you accept"),
    )
    baseline_nights: int = Field(
        default=14,
        ge=2,
        le=365,
        description="Nights that show what is normal before drift without a known change is looked for.",
        json_schema_extra=why("two weeks hold every weekday twice; until then only a collapse is told"),
    )
    repeat_share: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="Share of its cases that a replay by schedule or after a change asks once more, to measure noise.",
        json_schema_extra=why(
            "a tenth more calls show how much a new version's answers vary on its first night; 0 saves them"
        ),
    )
    production: ProductionConfig = Field(
        default=ProductionConfig(),
        description="What is watched of the traffic itself, beside the replays.",
        json_schema_extra=why("users notice what no eval set asks"),
    )
    accept_after_nights: int | None = Field(
        default=None,
        ge=1,
        description="Nights at a new level after which it becomes the baseline by itself; never when absent.",
        json_schema_extra=why("somebody should have said that worse is the new normal"),
    )
    attribution_calls: int = Field(
        default=0,
        ge=0,
        description="Calls of the target or a hosted judge that explaining an alarm may cost; it waits for them.",
        json_schema_extra=why("what is stored is looked at for nothing; calls cost money: only when asked"),
    )
    attribution_usd: float = Field(
        default=1.0,
        ge=0,
        description="Money in USD that explaining one alarm may cost, where the target has a price.",
        json_schema_extra=why("a few hundred short calls"),
    )


class DeploymentConfig(Section):
    """A named thing being watched, with the target that answers for it."""

    target: Name = Field(
        description="Name of a target: how to call what is deployed.",
        json_schema_extra=why("a replay needs something that answers"),
    )
    sets: tuple[Name, ...] = Field(
        default=(),
        description="Names of the eval sets that are replayed.",
        json_schema_extra=why("traffic can be watched for changes before there is a set"),
    )
    service_names: tuple[str, ...] = Field(
        default=(),
        description="OpenTelemetry service.name values that are this deployment; its own name when absent.",
        json_schema_extra=why("most services are called what the deployment is called"),
    )
    identity: tuple[IdentityField, ...] = Field(
        default=("response_model", "prompt"),
        min_length=1,
        description="Fields whose values make a version: response_model, prompt, request_model.",
        json_schema_extra=why("what a provider or a colleague changes under you"),
    )
    category_attribute: str = Field(
        default="driftd.category",
        min_length=1,
        description="Attribute of a span or record that says what an interaction is about.",
        json_schema_extra=why("no convention has a name for it"),
    )
    failure_categories: tuple[str, ...] = Field(
        default=(),
        description="The taxonomy: names a failure may be given; any when empty.",
        json_schema_extra=why("names that teams agree on can be counted over months"),
    )
    redaction: DeploymentRedactionConfig = Field(
        default=DeploymentRedactionConfig(),
        description="What is redacted otherwise than `redaction` says.",
        json_schema_extra=why("two products may talk of two things"),
    )
    changes: ChangesConfig = Field(
        default=ChangesConfig(),
        description="When a difference in traffic is a change.",
        json_schema_extra=why("the defaults are conservative"),
    )
    replay: ReplayConfig = Field(
        default=ReplayConfig(),
        description="What a run may cost, and how often it waits for a target that is out.",
        json_schema_extra=why("the defaults limit nothing and wait for half an hour"),
    )
    drift: DriftConfig = Field(
        default=DriftConfig(),
        description="When a comparison is a regression.",
        json_schema_extra=why("the defaults are conservative"),
    )
