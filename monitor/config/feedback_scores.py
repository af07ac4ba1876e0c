"""How driftd reads scores, annotations and assessments of other products as feedback."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from monitor.config.section import Section, fault, why

ScoreName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class FeedbackScoreConfig(Section):
    """The scale and the source of a score."""

    low: float | None = Field(
        default=None,
        allow_inf_nan=False,
        description=(
            "Lowest value of the scale; needs high. Without a scale driftd stores numbers but does not interpret them."
        ),
        json_schema_extra=why("a score of 2 is bad on a scale to 5 and good on a scale to 2; clients do not send it"),
    )
    high: float | None = Field(
        default=None,
        allow_inf_nan=False,
        description="Highest value of the scale.",
        json_schema_extra=why("a scale needs both ends"),
    )
    better: Literal["higher", "lower"] = Field(
        default="higher",
        description="Which end of the scale is good. For a boolean, `lower` means that false is good.",
        json_schema_extra=why("toxicity is bad when it is high"),
    )
    good_labels: tuple[str, ...] = Field(
        default=(),
        description="Labels of positive feedback, in addition to `thumbs-up`, `like`, `good` and `correct`.",
        json_schema_extra=why("teams use their own labels"),
    )
    bad_labels: tuple[str, ...] = Field(
        default=(),
        description=(
            "Labels of negative feedback, in addition to `thumbs-down`, `dislike`, `bad`, `incorrect` and `wrong`."
        ),
        json_schema_extra=why("teams use their own labels"),
    )
    source: Literal["user", "reviewer", "system"] | None = Field(
        default=None,
        description="Source of the score. Default: the source in the record. `system` is never a correction.",
        json_schema_extra=why("many clients do not report whether a person or a judge gave the score"),
    )
    expected_attribute: str | None = Field(
        default=None,
        min_length=1,
        description="Attribute of an evaluation event with the expected answer.",
        json_schema_extra=why("no convention has a name for it; driftd always reads `driftd.expected`"),
    )

    @model_validator(mode="after")
    def _scale_has_two_ends(self) -> "FeedbackScoreConfig":
        if (self.low is None) != (self.high is None):
            raise fault("low", "give low and high, or neither")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise fault("high", f"{self.high:g} is not above low, {self.low:g}")
        return self
