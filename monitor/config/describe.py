"""Generate docs/config.md and docs/config.schema.json from the tree: `python -m monitor.config.describe [--check]`."""

import inspect
import json
import sys
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from monitor import generated_docs
from monitor.config.tree import Config
from replay.scorers.table import SCORERS

_GUIDE = Path(__file__).with_name("guide.md")
_BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def documents() -> dict[str, str]:
    """Return the text of each generated file by its name."""
    return {"config.schema.json": json_schema(), "config.md": markdown()}


def json_schema() -> str:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Config.model_json_schema(),
        "title": "driftd.yaml",
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def markdown() -> str:
    """Return the guide, one table for each section of the tree, and the options of the scorers."""
    parts = [_GUIDE.read_text(encoding="utf-8"), "## Keys\n"]
    parts += [_section(path, model) for path, model in sections(Config, "")]
    parts += ["## Scorers\n\n" + "\n".join(_scorers())]
    return "\n".join(parts) + "\n"


def sections(model: type[BaseModel], path: str) -> Iterator[tuple[str, type[BaseModel]]]:
    """Return every section with the path of its keys, in the order of the file. `NAME` is a name of your
    choice.
    """
    yield path, model
    for key, field in model.model_fields.items():
        for inner, suffix in _models_in(field.annotation, ""):
            yield from sections(inner, f"{path}.{key}{suffix}".removeprefix("."))


def _models_in(annotation: Any, suffix: str) -> Iterator[tuple[type[BaseModel], str]]:
    """Return the section classes inside an annotation, with the part that a dict or a list adds to the path."""
    origin = typing.get_origin(annotation)
    if origin is None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation, suffix
        return
    suffix += ".NAME" if origin is dict else "[]" if origin is tuple else ""
    for argument in typing.get_args(annotation):
        yield from _models_in(argument, suffix)


def _section(path: str, model: type[BaseModel]) -> str:
    title = f"### `{path}`" if path else "### The file"
    rows = [_row(key, field, schema) for key, field, schema in _fields(model)]
    head = "| key | type | default | what | why |\n|---|---|---|---|---|"
    return f"{title}\n\n{inspect.getdoc(model)}\n\n{head}\n" + "\n".join(rows) + "\n"


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo, Mapping[str, Any]]]:
    properties = model.model_json_schema()["properties"]
    for key, field in model.model_fields.items():
        yield key, field, properties[key]


def _row(key: str, field: FieldInfo, schema: Mapping[str, Any]) -> str:
    cells = (f"`{key}`", _type(schema), _default(field, schema), field.description or "", schema["reason"])
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _type(schema: Mapping[str, Any]) -> str:
    """Return the type in one or two words, with its bounds."""
    if "anyOf" in schema:
        return next(_type(option) for option in schema["anyOf"] if option.get("type") != "null")
    if "$ref" in schema:
        return "section" if schema["$ref"].endswith("Config") else "name"
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}s"
    if schema.get("type") == "object":
        of = schema.get("additionalProperties")
        if isinstance(of, Mapping) and ("type" in of or "$ref" in of):
            return f"{_type(of)}s by name"
        return "sections by name"
    word = {"string": "text", "boolean": "true or false"}.get(schema["type"], schema["type"])
    word = "secret text" if schema.get("writeOnly") else "path" if schema.get("format") == "path" else word
    bounds = [f"{sign} {schema[name]}" for name, sign in _BOUNDS.items() if name in schema]
    return ", ".join([word, *bounds])


def _default(field: FieldInfo, schema: Mapping[str, Any]) -> str:
    default = field.default
    if default is PydanticUndefined:
        return "required"
    if default is None or default in ({}, ()):
        return "-"
    if isinstance(default, BaseModel):
        return "see below"
    return f"`{json.dumps(schema['default'], ensure_ascii=False)}`"


def _scorers() -> Iterator[str]:
    yield "A scorer in `sets.NAME.scorers[]` has its `kind` and the options of that kind. Every kind has the option"
    yield "`name`, its own kind by default: two scorers of one kind in a set need two names.\n"
    for kind, from_options in SCORERS.items():
        options = inspect.getdoc(inspect.unwrap(from_options).__self__)
        yield f"- `{kind}`: {' '.join((options or '').split())}"


def main(arguments: Sequence[str] | None = None) -> int:
    return generated_docs.run("monitor.config.describe", __doc__, documents, arguments)


if __name__ == "__main__":
    sys.exit(main())
