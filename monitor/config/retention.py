"""Settings of retention: how long rows stay, and when their bytes leave the file."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field, model_validator

from monitor.config.section import Name, Section, why

_AGE = "Days after which a row goes; null keeps it for ever."
_ROWS = "Rows that stay at most, the newest; null keeps all."
_DEFAULTS: Final[Mapping[str, Mapping[str, float | int]]] = {
    "interactions": {"max_age_d": 90.0},
    "feedback": {"max_age_d": 90.0},
    "candidates": {"max_age_d": 365.0},
    "outcomes": {"max_age_d": 730.0},
    "dead_letters": {"max_age_d": 30.0, "max_rows": 100_000},
    "span_content": {"max_age_d": 2.0},
    "answers": {"max_age_d": 7.0},
}


class KeepConfig(Section):
    """How much of one part stays."""

    max_age_d: float | None = Field(
        default=None,
        gt=0,
        description=_AGE + " Counted from when driftd received or finished it.",
        json_schema_extra=why("a limit is promised to people in days; old logs that are imported late count as new"),
    )
    max_rows: int | None = Field(
        default=None, ge=1, description=_ROWS, json_schema_extra=why("a disk has a size, and traffic grows")
    )


def _default(part: str) -> KeepConfig:
    return KeepConfig.model_validate(_DEFAULTS[part])


class KeepByDeploymentConfig(Section):
    """What one deployment keeps instead. What is absent here follows the general rule."""

    interactions: KeepConfig | None = Field(
        default=None,
        description="Of its logged calls.",
        json_schema_extra=why("what users wrote to one product may have to go sooner than what they wrote to another"),
    )
    feedback: KeepConfig | None = Field(
        default=None, description="Of its signals.", json_schema_extra=why("they hold texts of users too")
    )
    candidates: KeepConfig | None = Field(
        default=None,
        description="Of its proposed and rejected cases.",
        json_schema_extra=why("a product with many corrections may want them reviewed or gone sooner"),
    )
    outcomes: KeepConfig | None = Field(
        default=None,
        description="Of the replies and scores of its runs; max_rows counts replies.",
        json_schema_extra=why("a large set fills a disk by itself"),
    )


class RetentionConfig(Section):
    """How long rows stay. A row beyond its limits is gone from every answer at the next check.

    Its bytes leave the file when that is rewritten: DuckDB neither gives space back nor overwrites what was deleted.
    """

    check_h: float = Field(
        default=24.0,
        gt=0,
        description="Hours between two looks for rows beyond their limits; the first is at the start.",
        json_schema_extra=why("limits are days"),
    )
    rewrite_share: float = Field(
        default=0.2,
        gt=0,
        le=1,
        description="The file is rewritten once this share of its rows has been removed.",
        json_schema_extra=why("a rewrite copies all that stays, and takes its share of the machine from ingest"),
    )
    rewrite_after_d: float = Field(
        default=7.0,
        ge=0,
        description="Days after which it is rewritten although less was removed; 0 rewrites after every removal.",
        json_schema_extra=why("what was removed must not stay readable in the file for ever"),
    )
    keep_runs: int = Field(
        default=30,
        ge=1,
        description="The newest runs of a set that stay at any age, and with them their baselines.",
        json_schema_extra=why("a comparison needs something to compare with"),
    )
    interactions: KeepConfig = Field(
        default=_default("interactions"),
        description="Of logged calls: 90 days. One that a candidate or dynamic case was made of stays with it.",
        json_schema_extra=why("a quarter shows a season; who asked must stay known while the question is kept"),
    )
    feedback: KeepConfig = Field(
        default=_default("feedback"),
        description="Of signals: 90 days. A linked one goes with its interaction at the latest.",
        json_schema_extra=why("as long as what it speaks of"),
    )
    candidates: KeepConfig = Field(
        default=_default("candidates"),
        description="Of proposed and rejected cases: 365 days. Accepted ones stay until they are erased.",
        json_schema_extra=why("nobody reviews what a year of nights has not asked for"),
    )
    outcomes: KeepConfig = Field(
        default=_default("outcomes"),
        description="Of runs with their replies and scores: 730 days; max_rows counts the replies of a deployment.",
        json_schema_extra=why("two years answer 'was it better last year?'"),
    )
    dead_letters: KeepConfig = Field(
        default=_default("dead_letters"),
        description="Of records that could not be read: 30 days, 100,000 rows.",
        json_schema_extra=why("long enough to repair a sender, and a broken one must not fill the disk"),
    )
    span_content: KeepConfig = Field(
        default=_default("span_content"),
        description="Of texts whose span has not come: 2 days.",
        json_schema_extra=why("a span comes within minutes or never"),
    )
    answers: KeepConfig = Field(
        default=_default("answers"),
        description="Of answers remembered under an Idempotency-Key: 7 days; max_rows has no meaning here.",
        json_schema_extra=why("a request is repeated within minutes, after a long outage within days"),
    )
    deployments: dict[Name, KeepByDeploymentConfig] = Field(
        default={},
        description="What one deployment keeps instead, by name.",
        json_schema_extra=why("two products may have promised two things"),
    )

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, data: Any) -> Any:
        """A part that sets one limit keeps its other: the default, or for a deployment the general one."""
        if not isinstance(data, Mapping):
            return data
        values = dict(data)
        for part, default in _DEFAULTS.items():
            values[part] = _over(default, values.get(part, {}))
        if isinstance(named := values.get("deployments"), Mapping):
            values["deployments"] = {name: _own_parts(own, values) for name, own in named.items()}
        return values


def _own_parts(own: Any, general: Mapping[str, Any]) -> Any:
    if not isinstance(own, Mapping):
        return own
    return {part: _over(general.get(part), limits) for part, limits in own.items()}


def _over(general: Any, own: Any) -> Any:
    """`own` limits on top of the general ones; what is no mapping is left for validation to refuse."""
    both = isinstance(general, Mapping) and isinstance(own, Mapping)
    return {**general, **own} if both else own
