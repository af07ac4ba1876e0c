"""A model with OpenAI's protocols: chat completions, which many servers support, or responses."""

from dataclasses import dataclass
from typing import Any, Literal

from replay.errors import TargetError
from replay.targets.chat import Chat
from replay.targets.dialect import Dialect
from replay.targets.model import ModelSettings, ModelTarget
from replay.targets.responses import Responses


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAISettings(ModelSettings):
    """`api` is the protocol: `chat` completions or `responses`."""

    api: Literal["chat", "responses"] = "chat"


class OpenAITarget(ModelTarget):
    """Uses the protocol of its settings. Raise TargetError for settings that the protocol does not support."""

    def __init__(self, settings: OpenAISettings, **injected: Any) -> None:
        if settings.api == "responses" and settings.seed is not None:
            raise TargetError("the responses API has no seed; leave seed out or set api to chat")
        dialect: Dialect = Responses() if settings.api == "responses" else Chat()
        super().__init__("openai", dialect, settings, **injected)
