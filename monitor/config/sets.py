"""Settings of eval sets: private frozen ones, and dynamic ones that grow from corrections."""

from typing import Any, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from monitor.config.keys import KeyConfig
from monitor.config.section import Section, fault, why
from monitor.domain.evalset import SetKind
from monitor.domain.policy import DataLabel
from replay.errors import ReplayError
from replay.scorers.table import build_scorer

_DYNAMIC_ONLY = ("max_cases", "auto_accept", "membership")
_FROZEN_ONLY = ("exposure_budget",)


class ScorerConfig(Section):
    """One scorer: its kind, and the options of that kind beside it."""

    model_config = ConfigDict(extra="allow")

    kind: str = Field(
        description="exact, regex, choice, numeric, contains or must.",
        json_schema_extra=why("how an answer is right differs by product"),
    )

    @property
    def options(self) -> dict[str, Any]:
        """What stands beside `kind`."""
        return dict(self.model_extra or {})

    @property
    def name(self) -> str:
        """What its scores are called."""
        return str(self.options.get("name", self.kind))

    @model_validator(mode="after")
    def _can_be_built(self) -> "ScorerConfig":
        try:
            build_scorer(self.kind, self.options)
        except ReplayError as error:
            raise fault("", str(error)) from None
        return self


class MembershipConfig(Section):
    """Who may be in a dynamic set, beside its size."""

    max_age_d: float | None = Field(
        default=None,
        gt=0,
        description="A correction older than this many days leaves; never when absent.",
        json_schema_extra=why("what users asked last year may be no question any more"),
    )
    max_per_user: int | None = Field(
        default=None,
        ge=1,
        description="Most cases of one user, the newest; no limit when absent.",
        json_schema_extra=why("one diligent user is not your traffic"),
    )
    strata: tuple[Literal["category", "severity"], ...] = Field(
        default=(),
        description="Fields by which seats are shared out, in proportion and one each at least: category, severity.",
        json_schema_extra=why("a rare category keeps a seat beside a loud one"),
    )
    overlap: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="Share of the seats that goes on with cases of the revision before.",
        json_schema_extra=why("two revisions can be compared by the cases they share; what is new waits its turn"),
    )


class SetConfig(KeyConfig):
    """An eval set. A frozen one is private and sealed with a key; a dynamic one is refreshed from production."""

    kind: SetKind = Field(
        description="frozen or dynamic.",
        json_schema_extra=why("the two answer different questions: did it get worse, what is failing now"),
    )
    old_keys: tuple[KeyConfig, ...] = Field(
        default=(),
        description="Keys it was sealed with before, until `driftd sets rotate NAME --key` has sealed all of it anew.",
        json_schema_extra=why("a key that may be known must be replaced, without losing what it sealed"),
    )
    scorers: tuple[ScorerConfig, ...] = Field(
        min_length=1,
        description="What judges an answer; the lowest verdict counts.",
        json_schema_extra=why("a case without a scorer has no verdict"),
    )
    samples: int = Field(
        default=1,
        ge=1,
        le=100,
        description="Answers asked for each case.",
        json_schema_extra=why("more cases tell more than more samples for the same money"),
    )
    max_cases: int = Field(
        default=200,
        ge=1,
        description="Of a dynamic set: the newest accepted corrections are kept.",
        json_schema_extra=why("enough to see a drop of 10 points, cheap enough for every night"),
    )
    membership: MembershipConfig = Field(
        default=MembershipConfig(),
        description="Of a dynamic set: who may be in it.",
        json_schema_extra=why("without it the newest accepted corrections are"),
    )
    auto_accept: bool = Field(
        default=False,
        description="Of a dynamic set: corrections that say what was right enter without a review, waiting ones too.",
        json_schema_extra=why("a user's correction may be wrong; somebody should look"),
    )

    labels: tuple[DataLabel, ...] = Field(
        default=(),
        description="What the cases hold: public, confidential, pii. Targets must be cleared for it, but for public.",
        json_schema_extra=why("a replay sends every case to its target; nothing is refused until this is said"),
    )
    exposure_budget: int | None = Field(
        default=400,
        ge=1,
        description="Of a frozen set: calls and reveals of a case until its replacement is proposed; null for never.",
        json_schema_extra=why("a year of nights; what has left that often may be known to who receives it"),
    )

    @field_validator("scorers")
    @classmethod
    def _are_told_apart(cls, scorers: tuple[ScorerConfig, ...]) -> tuple[ScorerConfig, ...]:
        names = [scorer.name for scorer in scorers]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two scorers are called {twice[0]!r}; give one of them another name")
        return scorers

    @model_validator(mode="after")
    def _fits_its_kind(self) -> "SetConfig":
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
        return self
