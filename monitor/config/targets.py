"""Settings of targets: how to call what a deployment runs. The key `kind` selects the section."""

from typing import Annotated

from pydantic import Field

from monitor.config.application_targets import CommandTarget, HttpTarget
from monitor.config.model_targets import AnthropicTarget, OpenAITarget
from monitor.config.target_base import PriceConfig, PromptConfig

__all__ = [
    "AnthropicTarget",
    "CommandTarget",
    "HttpTarget",
    "OpenAITarget",
    "PriceConfig",
    "PromptConfig",
    "TargetConfig",
]

TargetConfig = Annotated[OpenAITarget | AnthropicTarget | HttpTarget | CommandTarget, Field(discriminator="kind")]
