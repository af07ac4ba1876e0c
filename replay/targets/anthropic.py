"""A model with Anthropic's messages protocol."""

from dataclasses import dataclass
from typing import Any

from replay.errors import TargetError
from replay.targets.messages import Messages
from replay.targets.model import ModelSettings, ModelTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicSettings(ModelSettings):
    """The settings. The protocol requires `max_tokens`; the default is 4096."""


class AnthropicTarget(ModelTarget):
    def __init__(self, settings: AnthropicSettings, **injected: Any) -> None:
        if settings.seed is not None:
            raise TargetError("the messages API has no seed; leave seed out")
        super().__init__("anthropic", Messages(), settings, **injected)
