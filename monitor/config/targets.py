"""Settings of targets: how to call what a deployment runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, SecretStr, StringConstraints

from monitor.config.section import FileKey, HttpUrl, Section, why

Text = Annotated[str, StringConstraints(min_length=1)]


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


class TargetConfig(Section):
    """A model endpoint that speaks the OpenAI chat completions protocol, with the deployed prompt and parameters."""

    FILES: ClassVar[Mapping[str, FileKey]] = {
        "api_key_file": FileKey(key="api_key"),
        "system_prompt_file": FileKey(key="system_prompt"),
    }

    kind: Literal["openai"] = Field(
        default="openai",
        description="The protocol to speak: openai.",
        json_schema_extra=why("most servers of models speak it"),
    )
    base_url: HttpUrl = Field(
        description="Address up to and without /chat/completions, for example http://127.0.0.1:8000/v1.",
        json_schema_extra=why("a replay must reach what the product reaches"),
    )
    model: Text = Field(
        description="The model that is asked for, as the product asks for it.",
        json_schema_extra=why("an alias may move, which is what driftd is there to see"),
    )
    api_key: SecretStr | None = Field(
        default=None,
        description="Key of the endpoint; best as ${ENV}.",
        json_schema_extra=why("a server of one's own may need none"),
    )
    api_key_file: Path | None = Field(
        default=None,
        description="File that holds the key.",
        json_schema_extra=why("mounted secrets of an orchestrator are files"),
    )
    system_prompt: Text | None = Field(
        default=None,
        description="System message put before every case.",
        json_schema_extra=why("a set may carry its own"),
    )
    system_prompt_file: Path | None = Field(
        default=None,
        description="File that holds the system message.",
        json_schema_extra=why("the deployed prompt lives in a file of its own"),
    )
    prompt: PromptConfig | None = Field(
        default=None,
        description="Id and version of the deployed prompt, as in the product's telemetry.",
        json_schema_extra=why("without it the hash of the system message is the identity"),
    )
    temperature: float | None = Field(
        default=None,
        ge=0,
        le=2,
        description="Sampling temperature; absent leaves the server's default.",
        json_schema_extra=why("replay as the product asks"),
    )
    top_p: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="Nucleus sampling share; absent leaves the server's default.",
        json_schema_extra=why("replay as the product asks"),
    )
    max_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Longest answer in tokens; absent leaves the server's default.",
        json_schema_extra=why("replay as the product asks"),
    )
    seed: int | None = Field(
        default=None,
        description="Sampling seed, for servers that honour it.",
        json_schema_extra=why("replay as the product asks"),
    )
    timeout_s: float = Field(
        default=60.0,
        gt=0,
        le=3600,
        description="Longest wait for one answer, in seconds.",
        json_schema_extra=why("long answers of large models take tens of seconds"),
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
    price: PriceConfig | None = Field(
        default=None,
        description="Price of tokens, for the cost of a run.",
        json_schema_extra=why("unknown until you say it"),
    )
