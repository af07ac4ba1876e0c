"""Settings of every kind of target: prompt, price and limits."""

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, SecretStr, StringConstraints, model_validator

from monitor.config.section import FileKey, Section, fault, why
from monitor.domain.policy import DataLabel
from replay.errors import ReplayError
from replay.targets.table import build_target

Text = Annotated[str, StringConstraints(min_length=1)]
_PROMPT_KEYS = ("system_prompt", "template", "prompt")


class PromptConfig(Section):
    """The id and version that the product's telemetry uses for the deployed prompt."""

    id: Text = Field(
        description="Id of the prompt template.", json_schema_extra=why("a replay must use the names of the traffic")
    )
    version: Text = Field(
        description="Version of the prompt template.", json_schema_extra=why("a new version is a change")
    )


class PriceConfig(Section):
    """The price of the provider. Without it the cost of a run is unknown, not 0."""

    input_usd_per_mtok: float = Field(
        ge=0,
        description="US dollars for a million input tokens.",
        json_schema_extra=why("answers do not contain prices"),
    )
    output_usd_per_mtok: float = Field(
        ge=0,
        description="US dollars for a million output tokens.",
        json_schema_extra=why("answers do not contain prices"),
    )


class TargetBase(Section):
    """The settings of every kind of target. A kind adds its own with `kind_options`."""

    FILES: ClassVar[Mapping[str, FileKey]] = {
        "system_prompt_file": FileKey(key="system_prompt"),
        "template_file": FileKey(key="template"),
    }

    system_prompt: Text | None = Field(
        default=None,
        description="System message before every case, used without changes.",
        json_schema_extra=why("a set may have its own"),
    )
    system_prompt_file: Path | None = Field(
        default=None,
        description="File with the system message.",
        json_schema_extra=why("the deployed prompt has a file of its own"),
    )
    template: Text | None = Field(
        default=None,
        description="Jinja template of the system message; filled with `variables` and the variables of a case.",
        json_schema_extra=why("the language or the shop of the user may differ from case to case"),
    )
    template_file: Path | None = Field(
        default=None,
        description="File with the template.",
        json_schema_extra=why("the deployed template has a file of its own"),
    )
    variables: dict[str, str] = Field(
        default={},
        description="Values for the template; the variables of a case have priority.",
        json_schema_extra=why("values that all cases share belong in one place"),
    )
    prompt: PromptConfig | None = Field(
        default=None,
        description="Id and version of the deployed prompt, as in the telemetry of the product.",
        json_schema_extra=why("without it the hash of the system message is the identity"),
    )
    prompt_from: Literal["config", "announced", "observed"] = Field(
        default="config",
        description=(
            "config (the keys above), announced (the text announced with the current version, a template) or "
            "observed (the newest system message in traffic of the current version)."
        ),
        json_schema_extra=why("with the other two, a deployment needs no change here"),
    )
    timeout_s: float = Field(
        default=60.0,
        gt=0,
        le=3600,
        description="Longest wait for one answer including all its calls, in seconds.",
        json_schema_extra=why("long answers of large models take tens of seconds"),
    )
    max_reply_mb: float = Field(
        default=16.0,
        gt=0,
        le=1024,
        description="Largest size of one answer including all its calls, in MiB, both as received and decompressed.",
        json_schema_extra=why("a streamed answer of 32,000 tokens takes 8; a broken server could fill the memory"),
    )
    max_reply_chars: int = Field(
        default=1_000_000,
        ge=1,
        le=100_000_000,
        description="Longest answer including its tool calls, in characters.",
        json_schema_extra=why("twice the length of 128,000 tokens; every answer is stored and scored"),
    )
    concurrency: int = Field(
        default=16,
        ge=1,
        le=1024,
        description="Calls in flight.",
        json_schema_extra=why("within the rate limits of a small account; 800 cases take minutes"),
    )
    requests_per_minute: float | None = Field(
        default=None,
        gt=0,
        description="Maximum number of calls per minute; fewer while the endpoint responds 429.",
        json_schema_extra=why("without it the responses of the endpoint set the pace"),
    )
    tokens_per_minute: float | None = Field(
        default=None,
        gt=0,
        description="Maximum number of input and output tokens per minute.",
        json_schema_extra=why("without it the responses of the endpoint set the pace"),
    )
    max_attempts: int = Field(
        default=4,
        ge=1,
        le=20,
        description="Maximum number of attempts for one answer, including the first.",
        json_schema_extra=why("enough for a minute of rate limiting"),
    )
    cleared_for: tuple[DataLabel, ...] = Field(
        default=(),
        description=(
            "Data labels that may be sent to this target: confidential, pii. A set without labels may go to any target."
        ),
        json_schema_extra=why("personal data must not go to a target by accident"),
    )
    price: PriceConfig | None = Field(
        default=None,
        description="Price of tokens, for the cost of a run.",
        json_schema_extra=why("unknown until you set it"),
    )

    @property
    @abstractmethod
    def where(self) -> str:
        """Return the address or the command, for people."""

    @abstractmethod
    def kind_options(self) -> dict[str, Any]:
        """Return the options of the kind, by the names of the library."""

    def options(self) -> dict[str, Any]:
        """Return all options of `build_target`."""
        prompt, price = self.prompt, self.price
        return {
            "system_prompt": self.system_prompt,
            "template": self.template,
            "variables": self.variables,
            "prompt_id": prompt.id if prompt else None,
            "prompt_version": prompt.version if prompt else None,
            "timeout_s": self.timeout_s,
            "concurrency": self.concurrency,
            "max_reply_bytes": int(self.max_reply_mb * 2**20),
            "max_reply_chars": self.max_reply_chars,
            "input_usd_per_mtok": price.input_usd_per_mtok if price else None,
            "output_usd_per_mtok": price.output_usd_per_mtok if price else None,
            **self.kind_options(),
        }

    @model_validator(mode="after")
    def _has_one_prompt(self) -> "TargetBase":
        given = [key for key in _PROMPT_KEYS if getattr(self, key) is not None]
        if self.prompt_from != "config" and given:
            raise fault(given[0], f"the prompt comes from what is {self.prompt_from}; leave {given[0]} out")
        if self.system_prompt is not None and self.template is not None:
            raise fault("template", "give system_prompt or template, not both")
        return self

    @model_validator(mode="after")
    def _can_be_built(self) -> "TargetBase":
        try:
            build_target(getattr(self, "kind"), self.options())  # noqa: B009 - each kind declares its own
        except ReplayError as error:
            raise fault("", str(error)) from None
        return self


def secret(value: SecretStr | None) -> str | None:
    return None if value is None else value.get_secret_value()


def secrets(values: Mapping[str, SecretStr]) -> dict[str, str]:
    return {name: value.get_secret_value() for name, value in values.items()}
