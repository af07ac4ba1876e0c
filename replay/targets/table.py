"""Which kinds of target there are."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from replay.errors import TargetError
from replay.targets.anthropic import AnthropicSettings, AnthropicTarget
from replay.targets.base import Target
from replay.targets.command import CommandSettings, CommandTarget
from replay.targets.http import HttpSettings, HttpTarget
from replay.targets.openai import OpenAISettings, OpenAITarget
from replay.targets.settings import TargetSettings


@dataclass(frozen=True, slots=True)
class _Kind:
    settings: type[TargetSettings]
    target: Callable[[Any], Target]


TARGETS: Mapping[str, _Kind] = {
    "openai": _Kind(OpenAISettings, OpenAITarget),
    "anthropic": _Kind(AnthropicSettings, AnthropicTarget),
    "http": _Kind(HttpSettings, HttpTarget),
    "command": _Kind(CommandSettings, CommandTarget),
}


def build_target(kind: str, options: Mapping[str, Any]) -> Target:
    """A target of that kind; `options` are the fields of its settings. TargetError names what is wrong."""
    if kind not in TARGETS:
        raise TargetError(f"target kind {kind!r} is unknown; known: {', '.join(sorted(TARGETS))}")
    found = TARGETS[kind]
    strange = sorted(set(options) - {field.name for field in fields(found.settings)})
    if strange:
        known = ", ".join(sorted(field.name for field in fields(found.settings)))
        raise TargetError(f"target kind {kind!r} has no option {strange[0]!r}; known: {known}")
    needed = (f for f in fields(found.settings) if f.default is MISSING and f.default_factory is MISSING)
    missing = [field.name for field in needed if field.name not in options]
    if missing:
        raise TargetError(f"target kind {kind!r} needs {' and '.join(missing)}")
    return found.target(found.settings(**options))
