"""Generate values.schema.json, the table of values in README.md and defaults.json of the chart:
`python -m helm.describe [--check]`.

All come from values.yaml: the comment above a key describes it, and a line `@schema` of the comment gives its type, a
name in definitions.json or JSON. A template cannot read the defaults: defaults.json has those that it compares.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from monitor import generated_docs

CHART = Path(__file__).with_name("driftd")
_DEFINITIONS = Path(__file__).with_name("definitions.json")
_HEADING = "## Values\n"
_MARK = "@schema"
_COMPARED = ("persistence", "resources", "roles")  # with a lake or without one, other values have no effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One key of values.yaml: its default, its comment, and the keys in it unless its own type describes them."""

    key: str
    default: Any
    text: str
    schema: dict[str, Any] | None
    inner: tuple["Value", ...]


def documents() -> dict[str, str]:
    """Return the text of each generated file by its name."""
    values = read((CHART / "values.yaml").read_text(encoding="utf-8"))
    definitions = json.loads(_DEFINITIONS.read_text(encoding="utf-8"))
    guide = (CHART / "README.md").read_text(encoding="utf-8").split(_HEADING)[0]
    return {
        "values.schema.json": json_schema(values, definitions),
        "README.md": f"{guide}{_HEADING}\n{table(values)}\n",
        "defaults.json": json.dumps({one.key: one.default for one in values if one.key in _COMPARED}, indent=2) + "\n",
    }


def read(text: str) -> tuple[Value, ...]:
    """Return the keys of a values file with their comments."""
    return tuple(_values(yaml.compose(text), text.splitlines()))


def _values(node: Any, lines: Sequence[str]) -> Iterator[Value]:
    for key, value in node.value:
        comment = _comment_above(key.start_mark.line, lines)
        marks = [line.removeprefix(_MARK).strip() for line in comment if line.startswith(_MARK)]
        schema = _own_schema(marks[-1]) if marks else None
        is_section = isinstance(value, yaml.MappingNode) and schema is None
        yield Value(
            key=key.value,
            default=yaml.safe_load(yaml.serialize(value)),
            text=" ".join(line for line in comment if not line.startswith(_MARK)),
            schema=schema,
            inner=tuple(_values(value, lines)) if is_section else (),
        )


def _comment_above(line: int, lines: Sequence[str]) -> list[str]:
    """Return the comment lines that end directly above a line."""
    start = line
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return [each.strip().removeprefix("#").strip() for each in lines[start:line]]


def _own_schema(mark: str) -> dict[str, Any]:
    if mark.startswith("{"):
        return dict(json.loads(mark))
    return {"$ref": f"#/definitions/{mark}"}


def json_schema(values: Sequence[Value], definitions: dict[str, Any]) -> str:
    """Return the schema; a key that is not in values.yaml is refused."""
    properties = _object(values)["properties"]
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Values of the driftd chart",
        "description": "Generated from values.yaml by helm/describe.py.",
        "type": "object",
        "additionalProperties": False,
        "properties": properties
        | {"global": {"description": "Reserved by Helm for charts that contain this one.", "type": "object"}},
        "definitions": definitions,
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _object(values: Sequence[Value]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {value.key: _property(value) for value in values},
    }


def _property(value: Value) -> dict[str, Any]:
    about = {"description": value.text} if value.text else {}
    if value.schema is not None:
        # Beside $ref, draft 7 ignores every other key.
        return about | ({"allOf": [value.schema]} if "$ref" in value.schema else value.schema)
    if value.inner:
        return about | _object(value.inner)
    return about | {"type": _type(value)}


def _type(value: Value) -> str:
    names = {bool: "boolean", int: "integer", str: "string"}
    if type(value.default) not in names:
        message = f"values.yaml: {value.key} needs a line {_MARK}: a list, an object or null has no type of its own"
        raise ValueError(message)
    return names[type(value.default)]


def table(values: Sequence[Value]) -> str:
    """Return the table of every value; a section has a row if it has a comment."""
    return generated_docs.table(["value", "default", "description"], _rows(values, ""))


def _rows(values: Sequence[Value], path: str) -> Iterator[list[str]]:
    for value in values:
        name = f"{path}{value.key}"
        if value.inner:
            if value.text:
                yield [f"`{name}`", "", value.text]
            yield from _rows(value.inner, f"{name}.")
        else:
            is_config = name == "config"  # its defaults have their own page
            yield [f"`{name}`", "see values.yaml" if is_config else f"`{json.dumps(value.default)}`", value.text]


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    return generated_docs.run("helm.describe", __doc__, documents, ["--folder", str(CHART), *given])


if __name__ == "__main__":
    sys.exit(main())
