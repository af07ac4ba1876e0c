"""Settings of retention: how long rows are kept, and when their bytes leave the file."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field, model_validator

from monitor.config.section import Name, Section, why

_AGE = "Days after which a row is removed; null keeps it forever."
_ROWS = "Maximum number of rows; the oldest are removed first. null keeps all."
_DEFAULTS: Final[Mapping[str, Mapping[str, float | int]]] = {
    "interactions": {"max_age_d": 90.0},
    "feedback": {"max_age_d": 90.0},
    "candidates": {"max_age_d": 365.0},
    "outcomes": {"max_age_d": 730.0},
    "dead_letters": {"max_age_d": 30.0, "max_rows": 100_000},
    "span_content": {"max_age_d": 2.0},
    "idempotency": {"max_age_d": 7.0},
    "audit": {"max_age_d": 730.0},
}


class RetentionLimitConfig(Section):
    """Limits of one kind of rows."""

    max_age_d: float | None = Field(
        default=None,
        gt=0,
        description=_AGE + " The age counts from the time at which driftd received or finished it.",
        json_schema_extra=why("promises to users are in days; old logs that are imported late count as new"),
    )
    max_rows: int | None = Field(
        default=None, ge=1, description=_ROWS, json_schema_extra=why("disks are finite, and traffic grows")
    )


def _default(part: str) -> RetentionLimitConfig:
    return RetentionLimitConfig.model_validate(_DEFAULTS[part])


class DeploymentRetentionConfig(Section):
    """Limits of one deployment. A kind that is absent here has the general limits."""

    interactions: RetentionLimitConfig | None = Field(
        default=None,
        description="Limits of interactions.",
        json_schema_extra=why("texts of one product may have to be removed sooner than those of another"),
    )
    feedback: RetentionLimitConfig | None = Field(
        default=None, description="Limits of feedback.", json_schema_extra=why("feedback contains texts of users too")
    )
    candidates: RetentionLimitConfig | None = Field(
        default=None,
        description="Limits of proposed and rejected cases.",
        json_schema_extra=why("a product with many corrections may need a shorter time"),
    )
    outcomes: RetentionLimitConfig | None = Field(
        default=None,
        description="Limits of runs with their replies and scores; max_rows counts replies.",
        json_schema_extra=why("a large set can fill a disk alone"),
    )


class RetentionConfig(Section):
    """How long rows are kept. The next check removes a row beyond its limits from every response.

    Its bytes leave the file at the next compaction: DuckDB neither frees nor overwrites the space of deleted rows.
    """

    check_h: float = Field(
        default=24.0,
        gt=0,
        description="Hours between two searches for rows beyond their limits; the first is at the start.",
        json_schema_extra=why("limits are in days"),
    )
    compact_share: float = Field(
        default=0.2,
        gt=0,
        le=1,
        description="Compact the file after this share of its rows was removed.",
        json_schema_extra=why("a compaction copies all remaining rows and slows down ingest"),
    )
    compact_after_d: float = Field(
        default=7.0,
        ge=0,
        description=(
            "Days after which the file is compacted even if less was removed; 0 compacts after every removal."
        ),
        json_schema_extra=why("removed rows must not stay readable in the file"),
    )
    keep_runs: int = Field(
        default=30,
        ge=1,
        description="Newest runs of a set that stay at any age, with their baselines.",
        json_schema_extra=why("a comparison needs earlier runs"),
    )
    interactions: RetentionLimitConfig = Field(
        default=_default("interactions"),
        description=(
            "Limits of interactions: 90 days. The interaction of a candidate or dynamic case is kept with it."
        ),
        json_schema_extra=why("a quarter shows a season; the user of a case must stay known while the case is kept"),
    )
    feedback: RetentionLimitConfig = Field(
        default=_default("feedback"),
        description="Limits of feedback: 90 days. Linked feedback is removed with its interaction at the latest.",
        json_schema_extra=why("as long as its interaction"),
    )
    candidates: RetentionLimitConfig = Field(
        default=_default("candidates"),
        description="Limits of proposed and rejected cases: 365 days. Accepted cases stay until they are erased.",
        json_schema_extra=why("a candidate that was not reviewed in a year is no longer useful"),
    )
    outcomes: RetentionLimitConfig = Field(
        default=_default("outcomes"),
        description="Limits of runs with replies and scores: 730 days; max_rows counts the replies of a deployment.",
        json_schema_extra=why("two years answer 'was it better last year?'"),
    )
    dead_letters: RetentionLimitConfig = Field(
        default=_default("dead_letters"),
        description="Limits of dead letters: 30 days, 100,000 rows.",
        json_schema_extra=why("enough time to repair a sender, and a broken sender cannot fill the disk"),
    )
    span_content: RetentionLimitConfig = Field(
        default=_default("span_content"),
        description="Limits of texts whose span has not arrived: 2 days.",
        json_schema_extra=why("a span arrives within minutes or never"),
    )
    idempotency: RetentionLimitConfig = Field(
        default=_default("idempotency"),
        description="Limits of responses stored for an Idempotency-Key: 7 days; max_rows has no effect.",
        json_schema_extra=why("a request is repeated within minutes, after a long outage within days"),
    )
    audit: RetentionLimitConfig = Field(
        default=_default("audit"),
        description="Limits of entries of the audit log: 730 days; max_rows has no effect.",
        json_schema_extra=why("audits look back at one or two years; the entries have no texts of users"),
    )
    deployments: dict[Name, DeploymentRetentionConfig] = Field(
        default={},
        description="Limits of single deployments, by name.",
        json_schema_extra=why("products may have made different promises"),
    )

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, data: Any) -> Any:
        """Return a kind that sets one limit with its other limit: the default, or for a deployment the general one."""
        if not isinstance(data, Mapping):
            return data
        values = dict(data)
        for part, default in _DEFAULTS.items():
            values[part] = _merged(default, values.get(part, {}))
        if isinstance(named := values.get("deployments"), Mapping):
            values["deployments"] = {name: _deployment_limits(own, values) for name, own in named.items()}
        return values


def _deployment_limits(own: Any, general: Mapping[str, Any]) -> Any:
    if not isinstance(own, Mapping):
        return own
    return {part: _merged(general.get(part), limits) for part, limits in own.items()}


def _merged(general: Any, own: Any) -> Any:
    """Return the own limits merged over the general ones. Validation refuses a value that is not a mapping."""
    both = isinstance(general, Mapping) and isinstance(own, Mapping)
    return {**general, **own} if both else own
