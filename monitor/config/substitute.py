"""Replaces `${NAME}` in string values from the environment. `$$` is a dollar sign."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

KeyPath = tuple[str | int, ...]

_PLACE = re.compile(r"\$(?:\$|\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Substituted:
    """The settings after the replacement. `secret` are the paths with a replaced value; driftd does not print them."""

    data: Any
    secret: frozenset[KeyPath]
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Walk:
    env: Mapping[str, str]
    secret: set[KeyPath] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def visit(self, value: Any, path: KeyPath) -> Any:
        if isinstance(value, Mapping):
            return {key: self.visit(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self.visit(item, (*path, index)) for index, item in enumerate(value)]
        return self.text(value, path) if isinstance(value, str) else value

    def text(self, value: str, path: KeyPath) -> str:
        for name in _names(value):
            self.secret.add(path)
            if name not in self.env:
                self.problems.append(f"{dotted(path)}: environment variable {name} is not set")
        return _PLACE.sub(lambda m: "$" if m["name"] is None else self.env.get(m["name"], ""), value)


def substitute(data: Any, env: Mapping[str, str]) -> Substituted:
    """Return `data` with every `${NAME}` replaced, and one sentence for each variable that is not set."""
    walk = _Walk(env)
    filled = walk.visit(data, ())
    return Substituted(data=filled, secret=frozenset(walk.secret), problems=tuple(walk.problems))


def dotted(path: KeyPath) -> str:
    """Return the path as text.

    >>> dotted(("alerts", "receivers", 0))
    'alerts.receivers[0]'
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _names(value: str) -> Iterator[str]:
    return (match["name"] for match in _PLACE.finditer(value) if match["name"] is not None)
