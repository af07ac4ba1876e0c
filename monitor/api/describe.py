"""Generate docs/api.md from the OpenAPI document of the API: `python -m monitor.api.describe [--check]`."""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from monitor import generated_docs
from monitor.api import openapi
from monitor.api.app import routed

NAME: Final = "api.md"
_HEAD: Final = """# HTTP API

`python -m monitor.api.describe` generates this page from the OpenAPI document, which a daemon serves at
`/openapi.json`. If tokens are configured, a request needs a token with the role of its path, in the header
`Authorization: Bearer TOKEN` ([install.md](install.md#tokens)). An error is a problem document (RFC 9457) with `code`
and `detail`. Times are RFC 3339 with an offset. A list returns `items`, and `next_cursor`: the `cursor` of the next
page.
"""
_FORMATS: Final = {"date-time": "time", "date": "date", "binary": "bytes"}
_METHODS: Final = ("get", "put", "post", "delete", "patch")

Schema = Mapping[str, Any]


def markdown() -> str:
    """Return the page: one section for each resource with its operations, then every model."""
    document = openapi.built(routed("any"))
    parts = [_HEAD]
    for tag, operations in _by_tag(document):
        parts.append(f"\n## {tag.replace('_', ' ').replace('-', ' ').capitalize()}\n")
        parts += [_operation(*operation) for operation in operations]
    parts.append("\n## Models\n")
    models = document["components"]["schemas"]
    parts += [_model(name, models[name]) for name in sorted(models)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


def _by_tag(document: Schema) -> Iterator[tuple[str, list[tuple[str, str, Schema]]]]:
    groups: dict[str, list[tuple[str, str, Schema]]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                tag = next(iter(methods[method].get("tags", ())), "daemon")
                groups.setdefault(tag, []).append((path, method, methods[method]))
    yield from groups.items()


def _operation(path: str, method: str, operation: Schema) -> str:
    role = operation.get("x-role")
    parts = [f"### {method.upper()} {path}\n", f"{_text(operation.get('description', ''))}\n"]
    parts.append(f"Role: `{role}`.\n" if role else "No role is needed.\n")
    rows = [_parameter(parameter) for parameter in operation.get("parameters", ())]
    if rows:
        parts.append(generated_docs.table(("parameter", "in", "type", "what"), rows) + "\n")
    if body := operation.get("requestBody"):
        parts.append("Body: " + ", ".join(_content(kind, one) for kind, one in body["content"].items()) + ".\n")
    for status, answer in operation["responses"].items():
        if status != "default":
            content = ", ".join(_content(kind, one) for kind, one in answer.get("content", {}).items())
            parts.append(f"Returns {status}{': ' + content if content else ''}.\n")
    return "\n".join(parts)


def _parameter(parameter: Schema) -> tuple[str, ...]:
    schema = parameter["schema"]
    what = _text(parameter.get("description") or schema.get("description") or "")
    if "default" in schema and schema["default"] is not None:
        what = f"{what} Default: `{json.dumps(schema['default'])}`.".strip()
    if parameter.get("required") and parameter["in"] != "path":
        what = f"{what} Required.".strip()
    return f"`{parameter['name']}`", parameter["in"], _type(schema), what


def _content(kind: str, content: Schema) -> str:
    schema = content.get("schema") or {}
    named = _type(schema) if schema else ""
    return f"{named} (`{kind}`)" if named and kind != "application/json" else named or f"`{kind}`"


def _model(name: str, schema: Schema) -> str:
    parts = [f"### {name}\n", f"{_text(schema.get('description', ''))}\n"]
    if "enum" in schema:
        parts.append("One of " + ", ".join(f"`{value}`" for value in schema["enum"]) + ".\n")
    needed = schema.get("required", ())
    rows = [
        (f"`{key}`", _type(field), _text(field.get("description", "")), "yes" if key in needed else "")
        for key, field in schema.get("properties", {}).items()
    ]
    if rows:
        parts.append(generated_docs.table(("field", "type", "what", "required"), rows) + "\n")
    return "\n".join(parts)


def _type(schema: Schema) -> str:
    """Return the type in a few words; a model is a link to its section."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if options := schema.get("anyOf") or schema.get("oneOf"):
        kinds = [_type(option) for option in options if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds)) + (" or null" if len(kinds) < len(options) else "")
    if values := schema.get("enum") or [schema[name] for name in ("const",) if name in schema]:
        return ", ".join(f"`{value}`" for value in values)
    return _list_or_object(schema) or _FORMATS.get(schema.get("format", "")) or str(schema.get("type", "any"))


def _list_or_object(schema: Schema) -> str | None:
    kind, of = schema.get("type"), schema.get("additionalProperties")
    if kind == "array":
        items = schema.get("prefixItems") or [schema.get("items", {})]
        return "list of " + ", ".join(_type(item) for item in items)
    return f"object of {_type(of)}" if kind == "object" and isinstance(of, Mapping) else None


def _text(text: str) -> str:
    """Return the text on one line per paragraph."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n")).strip()


def main(arguments: Sequence[str] | None = None) -> int:
    return generated_docs.run("monitor.api.describe", __doc__, lambda: {NAME: markdown()}, arguments)


if __name__ == "__main__":
    sys.exit(main())
