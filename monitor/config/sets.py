"""Settings of eval sets: private frozen sets, and dynamic sets that grow from corrections."""

from typing import Any, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from monitor.config.decides import Decides
from monitor.config.keys import KeyConfig
from monitor.config.section import Section, fault, why
from monitor.domain.evalset import SetKind
from monitor.domain.policy import DataLabel
from replay.errors import ReplayError
from replay.scorers.scorer_set import ScorerSet
from replay.scorers.table import build_scorer
from replay.types import Severity

_DYNAMIC_ONLY = ("max_cases", "auto_accept", "reviewers", "membership", "sampling")
_FROZEN_ONLY = ("exposure_budget",)


class ScorerConfig(Section):
    """One scorer: its kind and the options of that kind."""

    model_config = ConfigDict(extra="allow")

    kind: str = Field(
        description="The kind of scorer. The section Scorers has every kind with its options.",
        json_schema_extra=why("the definition of a correct answer differs by product"),
    )

    @property
    def options(self) -> dict[str, Any]:
        """Return the options without `kind`."""
        return dict(self.model_extra or {})

    @property
    def name(self) -> str:
        """Return the name of its scores."""
        return str(self.options.get("name", self.kind))

    @property
    def judges(self) -> tuple[str, ...]:
        """Return the names of the judges that the scorer asks."""
        several, one = self.options.get("judges"), self.options.get("judge")
        return tuple(several) if several else (() if one is None else (str(one),))

    @model_validator(mode="after")
    def _can_be_built(self) -> "ScorerConfig":
        try:
            build_scorer(self.kind, self.options)
        except ReplayError as error:
            raise fault("", str(error)) from None
        return self


class MembershipConfig(Section):
    """Admission rules of a dynamic set, in addition to its size."""

    max_age_d: float | None = Field(
        default=None,
        gt=0,
        description="Age in days after which a correction leaves the set. Default: never.",
        json_schema_extra=why("questions of last year may be out of date"),
    )
    max_per_user: int | None = Field(
        default=None,
        ge=1,
        description="Maximum number of cases of one user; the newest are used. Default: no limit.",
        json_schema_extra=why("one active user does not represent your traffic"),
    )
    strata: tuple[Literal["category", "severity"], ...] = Field(
        default=(),
        description=(
            "Fields that divide the set into strata: category, severity. Each stratum gets its share of the cases, and "
            "at least one."
        ),
        json_schema_extra=why("otherwise a frequent category would displace a rare one"),
    )
    overlap: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="Minimum share of the cases that come from the previous revision.",
        json_schema_extra=why("shared cases make two revisions comparable; new cases wait"),
    )


class SamplingConfig(Section):
    """The sampled part of a dynamic set: calls drawn from production, whether their answers were right or wrong."""

    max_cases: int = Field(
        default=100,
        ge=0,
        description="Size of the sampled part. 0 switches sampling off.",
        json_schema_extra=why("only cases that no failure selected can show an improvement"),
    )
    per_night: int = Field(
        default=10,
        ge=0,
        le=1000,
        description="Calls that each scheduled refresh draws and proposes for review.",
        json_schema_extra=why("a reviewer checks ten calls in a few minutes; after ten nights the part has 100 cases"),
    )
    max_age_d: float = Field(
        default=90.0,
        gt=0,
        description="Age in days after which a sampled case leaves the set.",
        json_schema_extra=why("the sample should look like the traffic of today"),
    )
    keep_unreviewed_d: float = Field(
        default=14.0,
        gt=0,
        description="Days after which a sampled call without a review is removed.",
        json_schema_extra=why("without a reviewer the list of candidates must not grow forever"),
    )
    severity: dict[str, Severity] = Field(
        default={},
        description="Severity of the sampled calls by intent (category or route). Default: medium.",
        json_schema_extra=why("a wrong refund is worse than a wrong greeting; the sample is stratified by it"),
    )


class SetConfig(KeyConfig):
    """An eval set. A frozen set is private and sealed with a key; a dynamic set is refreshed from production."""

    kind: SetKind = Field(
        description="frozen or dynamic.",
        json_schema_extra=why("they answer different questions: did it get worse, and what fails now"),
    )
    old_keys: tuple[KeyConfig, ...] = Field(
        default=(),
        description="Earlier keys, until `driftd sets rotate NAME --key` has sealed everything with the new one.",
        json_schema_extra=why("a key that may be compromised must be replaced without losing the set"),
    )
    scorers: tuple[ScorerConfig, ...] = Field(
        min_length=1,
        description="Scorers of the answers; the lowest verdict counts, unless `decides` is set.",
        json_schema_extra=why("a case without a scorer has no verdict"),
    )
    decides: Decides | None = Field(
        default=None,
        description="The metric that decides the verdict of a sample, or a composite. Default: the lowest scorer.",
        json_schema_extra=why("a set without it behaves as before: every scorer has to pass"),
    )
    samples: int = Field(
        default=1,
        ge=1,
        le=100,
        description="Samples of each case.",
        json_schema_extra=why("for the same cost, more cases are more informative than more samples"),
    )
    max_cases: int = Field(
        default=200,
        ge=1,
        description="Size of the corrected part of a dynamic set.",
        json_schema_extra=why("enough to detect a drop of 10 points, cheap enough for every night"),
    )
    membership: MembershipConfig = Field(
        default=MembershipConfig(),
        description="Admission rules of a dynamic set.",
        json_schema_extra=why("without rules the newest accepted corrections enter"),
    )
    sampling: SamplingConfig = Field(
        default=SamplingConfig(),
        description="The sampled part of a dynamic set.",
        json_schema_extra=why("the corrected part alone cannot show an improvement"),
    )
    auto_accept: bool = Field(
        default=False,
        description=(
            "Whether corrections with an expected answer enter a dynamic set without review, including waiting ones."
        ),
        json_schema_extra=why("a correction of a user may be wrong; a person should review it"),
    )
    reviewers: Literal[1, 2] = Field(
        default=1,
        description="People who must agree before a candidate enters a dynamic set: 1 or 2.",
        json_schema_extra=why("a second person finds the mistakes of the first, at twice the work"),
    )

    labels: tuple[DataLabel, ...] = Field(
        default=(),
        description=(
            "Data labels of the cases: public, confidential, pii. A target must be cleared for every label but public."
        ),
        json_schema_extra=why("a replay sends every case to its target; without labels nothing is refused"),
    )
    measures: str | None = Field(
        default=None,
        min_length=1,
        max_length=300,
        description="What the pass rate of the set means, in one sentence. It is shown next to the rate.",
        json_schema_extra=why("a person who did not write the cases must understand the number"),
    )
    contamination_aware: bool = Field(
        default=False,
        description="Whether the set may have cases of a benchmark with a canary, which models may have seen.",
        json_schema_extra=why("a score on data of the training measures memory; a person should know that it does"),
    )
    exposure_budget: int | None = Field(
        default=400,
        ge=1,
        description=(
            "Exposure budget of a frozen set: calls and reveals of a case before driftd proposes its replacement;"
            " null for never."
        ),
        json_schema_extra=why("a year of nights; after that a provider may know the case"),
    )

    @field_validator("scorers")
    @classmethod
    def _names_are_unique(cls, scorers: tuple[ScorerConfig, ...]) -> tuple[ScorerConfig, ...]:
        names = [scorer.name for scorer in scorers]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two scorers have the name {twice[0]!r}; give one of them another name")
        return scorers

    @property
    def scorer_set(self) -> ScorerSet:
        """The scorers with the rule of the verdict."""
        built = tuple(build_scorer(scorer.kind, scorer.options) for scorer in self.scorers)
        return ScorerSet(built, None if self.decides is None else self.decides.decision)

    @model_validator(mode="after")
    def _metrics_exist(self) -> "SetConfig":
        try:
            _ = self.scorer_set
        except ReplayError as error:
            raise fault("decides", str(error)) from None
        return self

    @model_validator(mode="after")
    def _keys_match_kind(self) -> "SetConfig":
        if self.kind is SetKind.FROZEN:
            if not self.has_key:
                raise fault(
                    "key_file",
                    "a frozen set is sealed: give key, key_file or key_command (driftd sets key PATH writes a new one)",
                )
            if not all(old.has_key for old in self.old_keys):
                raise fault("old_keys", "give each of them key, key_file or key_command")
            for key in _DYNAMIC_ONLY:
                if key in self.model_fields_set:
                    raise fault(key, "only a dynamic set has this key")
            return self
        if self.has_key or self.old_keys:
            raise fault("key" if self.has_key else "old_keys", "a dynamic set is not sealed; remove the key")
        for key in _FROZEN_ONLY:
            if key in self.model_fields_set:
                raise fault(key, "only a frozen set has this key")
        if self.auto_accept and self.reviewers > 1:
            raise fault("reviewers", "two reviewers cannot agree on cases that auto_accept accepts; remove one of both")
        return self
