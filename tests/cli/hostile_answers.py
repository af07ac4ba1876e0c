"""Valid responses of every API route with one hostile text in every text field."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any]
SAMPLES = {"date-time": "2026-11-21T02:00:00Z", "date": "2026-11-21"}


def hostile_answers(openapi: Schema, text: str) -> Callable[[str, str], bytes | None]:
    """Return the smallest complete response of each route, with `text` in every text field."""
    routes = [
        (re.compile(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(path))), operations)
        for path, operations in openapi["paths"].items()
    ]

    def answer(method: str, path: str) -> bytes | None:
        for pattern, operations in routes:
            operation = operations.get(method.lower())
            if operation is not None and pattern.fullmatch(path):
                for status in ("200", "201", "202"):
                    content = operation["responses"].get(status, {}).get("content", {}).get("application/json")
                    if content is not None:
                        return json.dumps(_made(content["schema"], openapi, text)).encode()
        return None

    return answer


def _made(schema: Schema, openapi: Schema, text: str, depth: int = 0) -> Any:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return _made(openapi["components"]["schemas"][name], openapi, text, depth)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return _made(options[0], openapi, text, depth)
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return [_made(one, openapi, text, depth + 1) for one in schema["prefixItems"]]
        return [
            _made(schema.get("items", {}), openapi, text, depth + 1) for _ in range(max(1, schema.get("minItems", 1)))
        ]
    if schema.get("type") == "object" or "properties" in schema:
        return _object(schema, openapi, text, depth)
    number = {"integer": 1, "number": 0.5, "boolean": True, "null": None}
    if schema.get("type") in number:
        return number[schema["type"]]
    return SAMPLES.get(schema.get("format", ""), text)


def _object(schema: Schema, openapi: Schema, text: str, depth: int) -> dict[str, Any]:
    made = {}
    for name, of in schema.get("properties", {}).items():
        made[name] = None if name in ("next_cursor", "cursor") else _made(of, openapi, text, depth + 1)
    more = schema.get("additionalProperties")
    if more and not made:
        of = more if isinstance(more, Mapping) else {"type": "string"}
        keys = (text, "role", "content") if of.get("type") == "string" else (text,)  # messages are maps
        made |= {key: _made(of, openapi, text, depth + 1) for key in keys}
    return made
