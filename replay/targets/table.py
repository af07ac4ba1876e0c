"""Which kinds of target there are."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from replay.errors import TargetError
from replay.targets.base import Target
from replay.targets.openai import OpenAISettings, OpenAITarget


def _build_openai(options: Mapping[str, Any]) -> Target:
    known = [field.name for field in fields(OpenAISettings)]
    strange = sorted(set(options) - set(known))
    if strange:
        raise TargetError(f"target kind 'openai' has no option {strange[0]!r}; known: {', '.join(known)}")
    missing = [name for name in ("base_url", "model") if name not in options]
    if missing:
        raise TargetError(f"target kind 'openai' needs {' and '.join(missing)}")
    return OpenAITarget(OpenAISettings(**options))


TARGETS: Mapping[str, Callable[[Mapping[str, Any]], Target]] = {"openai": _build_openai}


def build_target(kind: str, options: Mapping[str, Any]) -> Target:
    """A target of that kind; `options` are the fields of its settings. TargetError names what is wrong."""
    if kind not in TARGETS:
        raise TargetError(f"target kind {kind!r} is unknown; known: {', '.join(sorted(TARGETS))}")
    return TARGETS[kind](options)
