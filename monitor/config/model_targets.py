"""Settings of targets that are models behind an endpoint, with the deployed prompt and parameters."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, SecretStr

from monitor.config.section import FileKey, HttpUrl, why
from monitor.config.target_base import TargetBase, Text, secret
from replay.targets.masking import mask_url


class ModelTarget(TargetBase):
    """What both protocols of models have."""

    FILES: ClassVar[Mapping[str, FileKey]] = {**TargetBase.FILES, "api_key_file": FileKey(key="api_key")}

    base_url: HttpUrl = Field(
        description="Address up to and without /chat/completions, /responses or /messages, for example "
        "http://127.0.0.1:8000/v1.",
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
        description="Longest answer in tokens; absent leaves the server's default (4096 for anthropic).",
        json_schema_extra=why("replay as the product asks"),
    )
    stream: bool = Field(
        default=False,
        description="Ask for the answer token by token, which tells the time to the first one.",
        json_schema_extra=why("a whole answer is less work for both sides"),
    )
    max_tool_rounds: int = Field(
        default=8,
        ge=1,
        le=100,
        description="How often the tools of a case may be called before there must be an answer.",
        json_schema_extra=why("a model that never stops calling would never stop spending"),
    )

    @property
    def where(self) -> str:
        return mask_url(self.base_url)

    def told(self) -> dict[str, Any]:
        names = ("base_url", "model", "temperature", "top_p", "max_tokens", "stream", "max_tool_rounds")
        return {**{name: getattr(self, name) for name in names}, "api_key": secret(self.api_key)}


class OpenAITarget(ModelTarget):
    """A model endpoint that speaks OpenAI's chat completions or responses, with the deployed prompt and parameters."""

    kind: Literal["openai"] = Field(
        default="openai",
        description="openai",
        json_schema_extra=why("most servers of models speak it"),
    )
    api: Literal["chat", "responses"] = Field(
        default="chat",
        description="The protocol: chat (completions) or responses.",
        json_schema_extra=why("chat completions is what other servers speak too"),
    )
    seed: int | None = Field(
        default=None,
        description="Sampling seed, for servers that honour it; the responses protocol has none.",
        json_schema_extra=why("replay as the product asks"),
    )

    def told(self) -> dict[str, Any]:
        return {**super().told(), "api": self.api, "seed": self.seed}


class AnthropicTarget(ModelTarget):
    """A model endpoint that speaks Anthropic's messages, with the deployed prompt and parameters."""

    kind: Literal["anthropic"] = Field(
        description="anthropic", json_schema_extra=why("its messages are a protocol of their own")
    )
