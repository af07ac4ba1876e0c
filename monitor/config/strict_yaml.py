"""A strict YAML reader: duplicate keys are errors, every error names its line, and `no` is a text.

YAML 1.1 reads yes, no, on and off as booleans and 2026-11-21 as a date. Here they are texts, because they occur as such
(a choice "No", a prompt version). Only true and false are booleans.
"""

import re
from collections.abc import Hashable
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, Node, SequenceNode

from monitor.config.substitute import KeyPath
from monitor.errors import ConfigError
from replay.yaml_words import UNKNOWN, character_in_words, in_words

MAX_LINES, MAX_DEPTH = 100_000, 32  # aliases can expand to more data than memory holds
_BOOL = "tag:yaml.org,2002:bool"
_TEXT_TAGS = frozenset({_BOOL, "tag:yaml.org,2002:timestamp"})


class _StrictLoader(yaml.SafeLoader):
    """A SafeLoader that refuses a duplicate key and a key that is not a text."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own class attribute
        first: [(tag, pattern) for tag, pattern in resolvers if tag not in _TEXT_TAGS]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - the signature is PyYAML's
        lines: dict[Any, int] = {}
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue  # `<<: *anchor` may be next to keys that it also sets; those keys have priority
            key = self.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if not isinstance(key, str):
                raise _at(key_node, f"key {key!r} is not a text; put it in quotes")
            if key in lines:
                raise _at(key_node, f"key {key!r} is given twice, first on line {lines[key]}")
            lines[key] = line
        return super().construct_mapping(node, deep)


_StrictLoader.add_implicit_resolver(_BOOL, re.compile(r"^(?:true|false|True|False)$"), list("tfTF"))


class _OwnProblem(ConstructorError):
    """A problem with a message of this module instead of PyYAML's."""


def _at(node: Node, problem: str) -> ConstructorError:
    return _OwnProblem(None, None, problem, node.start_mark)


def parse(text: str, where: str) -> dict[str, Any]:
    """Return the mapping in `text`, or {} for an empty text.

    Raises:     ConfigError: It has the line and the column.
    """
    try:
        data = yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - a SafeLoader, made stricter
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = error.problem if isinstance(error, _OwnProblem) else in_words(error.problem)
        raise ConfigError(f"{where}{place}: {problem}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ConfigError(f"{where} line {line}: {character_in_words(str(error))}") from None
    except (yaml.YAMLError, RecursionError):
        raise ConfigError(f"{where}: {UNKNOWN}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        kind = "list" if isinstance(data, list) else "single value"
        raise ConfigError(f"{where}: the file must contain keys and values, not a {kind}")
    return data


def lines_of(text: str) -> dict[KeyPath, int]:
    """Return the line of every key and list entry of a file that `parse` could read."""
    found: dict[KeyPath, int] = {}
    root = yaml.compose(text, Loader=_StrictLoader)
    waiting: list[tuple[KeyPath, Node | None]] = [((), root)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, MappingNode):
            inside = [((*path, key.value), key, value) for key, value in node.value]
        elif isinstance(node, SequenceNode):
            inside = [((*path, index), item, item) for index, item in enumerate(node.value)]
        else:
            continue
        for below, named, value in inside:
            if len(found) < MAX_LINES and len(below) <= MAX_DEPTH:
                found[below] = named.start_mark.line + 1
                waiting.append((below, value))
    return found
