"""How scores, annotations and assessments of other products are read as feedback."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from monitor.config.section import Section, fault, why

ScoreName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class FeedbackScoreConfig(Section):
    """The scale of a score of this name, and whose word it is."""

    low: float | None = Field(
        default=None,
        allow_inf_nan=False,
        description="Lowest value of its scale; give high as well. Without them numbers are kept and judge nothing.",
        json_schema_extra=why("a 2 is bad of 5 and good of 2, and no client says which"),
    )
    high: float | None = Field(
        default=None,
        allow_inf_nan=False,
        description="Highest value of its scale.",
        json_schema_extra=why("see low"),
    )
    better: Literal["higher", "lower"] = Field(
        default="higher",
        description="Which end of the scale is the good one; of a yes or no, `lower` says that no is.",
        json_schema_extra=why("toxicity is bad where it is high"),
    )
    good_labels: tuple[str, ...] = Field(
        default=(),
        description="Labels that are a thumb up, beside `thumbs-up`, `like`, `good` and `correct`.",
        json_schema_extra=why("labels are a team's own words"),
    )
    bad_labels: tuple[str, ...] = Field(
        default=(),
        description="Labels that are a thumb down, beside `thumbs-down`, `dislike`, `bad`, `incorrect` and `wrong`.",
        json_schema_extra=why("labels are a team's own words"),
    )
    source: Literal["user", "reviewer", "system"] | None = Field(
        default=None,
        description="Whose word it is; when absent what the record says. `system` is never a correction.",
        json_schema_extra=why("many clients do not say whether a person or a judge speaks"),
    )
    expected_attribute: str | None = Field(
        default=None,
        min_length=1,
        description="Attribute of an evaluation event that holds what the answer should have been.",
        json_schema_extra=why("no convention has a name for it; `driftd.expected` is always read"),
    )

    @model_validator(mode="after")
    def _scale_has_two_ends(self) -> "FeedbackScoreConfig":
        if (self.low is None) != (self.high is None):
            raise fault("low", "give low and high, or neither")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise fault("high", f"{self.high:g} is not above low, {self.low:g}")
        return self
