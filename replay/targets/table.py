"""The kinds of target."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from importlib import import_module
from typing import Any

from replay.errors import TargetError
from replay.targets.base import Target
from replay.targets.settings import TargetSettings

# The module of a kind has its settings and its target. It is imported when the first target of the kind is built,
# because each kind imports packages that the others do not need.
TARGETS: Mapping[str, tuple[str, str, str]] = {
    "openai": ("replay.targets.openai", "OpenAISettings", "OpenAITarget"),
    "anthropic": ("replay.targets.anthropic", "AnthropicSettings", "AnthropicTarget"),
    "http": ("replay.targets.http", "HttpSettings", "HttpTarget"),
    "command": ("replay.targets.command", "CommandSettings", "CommandTarget"),
}


def build_target(kind: str, options: Mapping[str, Any]) -> Target:
    """Return a target of this kind. `options` are the fields of its settings. TargetError names the problem."""
    if kind not in TARGETS:
        raise TargetError(f"target kind {kind!r} is unknown; known: {', '.join(sorted(TARGETS))}")
    settings, target = _parts(kind)
    unknown = sorted(set(options) - {field.name for field in fields(settings)})
    if unknown:
        known = ", ".join(sorted(field.name for field in fields(settings)))
        raise TargetError(f"target kind {kind!r} has no option {unknown[0]!r}; known: {known}")
    needed = (f for f in fields(settings) if f.default is MISSING and f.default_factory is MISSING)
    missing = [field.name for field in needed if field.name not in options]
    if missing:
        raise TargetError(f"target kind {kind!r} needs {' and '.join(missing)}")
    return target(settings(**options))


def _parts(kind: str) -> tuple[type[TargetSettings], Callable[[Any], Target]]:
    module, settings, target = TARGETS[kind]
    found = import_module(module)
    return getattr(found, settings), getattr(found, target)
