"""Settings that every kind of target has: its prompt, its price, and how hard it may be pressed."""

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
_CARRIES_PROMPT = ("system_prompt", "template", "prompt")


class PromptConfig(Section):
    """The name that the product's own telemetry gives to the deployed prompt."""

    id: Text = Field(
        description="Id of the prompt template.", json_schema_extra=why("a replay must name what traffic names")
    )
    version: Text = Field(
        description="Version of the prompt template.", json_schema_extra=why("a new version is a change")
    )


class PriceConfig(Section):
    """What the provider asks for; without it a run's cost is unknown, never 0."""

    input_usd_per_mtok: float = Field(
        ge=0,
        description="US dollars for a million input tokens.",
        json_schema_extra=why("prices are no part of an answer"),
    )
    output_usd_per_mtok: float = Field(
        ge=0,
        description="US dollars for a million output tokens.",
        json_schema_extra=why("prices are no part of an answer"),
    )


class TargetBase(Section):
    """What every kind of target has. A kind adds how it is called, and `told` says it to the library."""

    FILES: ClassVar[Mapping[str, FileKey]] = {
        "system_prompt_file": FileKey(key="system_prompt"),
        "template_file": FileKey(key="template"),
    }

    system_prompt: Text | None = Field(
        default=None,
        description="System message put before every case, as it stands.",
        json_schema_extra=why("a set may carry its own"),
    )
    system_prompt_file: Path | None = Field(
        default=None,
        description="File that holds the system message.",
        json_schema_extra=why("the deployed prompt lives in a file of its own"),
    )
    template: Text | None = Field(
        default=None,
        description="Jinja template of the system message; variables and those of a case fill it.",
        json_schema_extra=why("a prompt that names the user's shop or language differs from case to case"),
    )
    template_file: Path | None = Field(
        default=None,
        description="File that holds the template.",
        json_schema_extra=why("the deployed template lives in a file of its own"),
    )
    variables: dict[str, str] = Field(
        default={},
        description="What fills the template; a case's variables come on top.",
        json_schema_extra=why("what is the same for all cases stands in one place"),
    )
    prompt: PromptConfig | None = Field(
        default=None,
        description="Id and version of the deployed prompt, as in the product's telemetry.",
        json_schema_extra=why("without it the hash of the system message is the identity"),
    )
    prompt_from: Literal["config", "announced", "observed"] = Field(
        default="config",
        description="config (the keys above), announced (the text that was told with the current version, a template) "
        "or observed (the newest system message in traffic of the current version).",
        json_schema_extra=why("a deploy then needs no second change here"),
    )
    timeout_s: float = Field(
        default=60.0,
        gt=0,
        le=3600,
        description="Longest wait for one answer with all the calls that it takes, in seconds.",
        json_schema_extra=why("long answers of large models take tens of seconds"),
    )
    max_reply_mb: float = Field(
        default=16.0,
        gt=0,
        le=1024,
        description="Most data one answer may take with all the calls that it takes, in MiB, both as received and "
        "decompressed.",
        json_schema_extra=why("a streamed answer of 32,000 tokens takes 8; a broken server could fill the memory"),
    )
    max_reply_chars: int = Field(
        default=1_000_000,
        ge=1,
        le=100_000_000,
        description="Longest answer with its tool calls, in characters.",
        json_schema_extra=why("twice what 128,000 tokens come to; every answer is stored and scored"),
    )
    concurrency: int = Field(
        default=16,
        ge=1,
        le=1024,
        description="Calls in flight at a time.",
        json_schema_extra=why("inside the rate limits of a small account; 800 cases take minutes"),
    )
    requests_per_minute: float | None = Field(
        default=None,
        gt=0,
        description="Most calls in a minute; fewer while the endpoint refuses with 429.",
        json_schema_extra=why("without it the endpoint's own refusals set the pace"),
    )
    tokens_per_minute: float | None = Field(
        default=None,
        gt=0,
        description="Most tokens in a minute, input and output.",
        json_schema_extra=why("without it the endpoint's own refusals set the pace"),
    )
    max_attempts: int = Field(
        default=4,
        ge=1,
        le=20,
        description="Attempts for one answer, the first included.",
        json_schema_extra=why("rides out a minute of rate limiting"),
    )
    cleared_for: tuple[DataLabel, ...] = Field(
        default=(),
        description="Labels of sets that may be sent here: confidential, pii. A set without labels goes anywhere.",
        json_schema_extra=why("what holds personal data must not leave for whoever happens to be configured"),
    )
    price: PriceConfig | None = Field(
        default=None,
        description="Price of tokens, for the cost of a run.",
        json_schema_extra=why("unknown until you say it"),
    )

    @property
    @abstractmethod
    def where(self) -> str:
        """Where it is, for people."""

    @abstractmethod
    def told(self) -> dict[str, Any]:
        """What the kind itself is told, by the names of the library."""

    def options(self) -> dict[str, Any]:
        """Everything that `build_target` is told."""
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
            **self.told(),
        }

    @model_validator(mode="after")
    def _has_one_prompt(self) -> "TargetBase":
        given = [key for key in _CARRIES_PROMPT if getattr(self, key) is not None]
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
