"""Encodes the tools of a case and their scripted results as JSON and decodes them.

    "tools": [{"name": "find_order", "description": "Finds an order.", "parameters": {"type": "object", ...}}],
    "tool_results": [{"name": "find_order", "arguments": {"order": 7}, "result": "shipped"},
                     {"name": "find_order", "result": "no such order"}]

A result without `arguments` matches any call of its tool. A result that is not a text is returned as JSON.
"""

import json
from collections.abc import Mapping
from typing import Any

from replay.errors import CaseError
from replay.evalsets.fields import json_object, list_of, named, object_of, text_of
from replay.types import Tool, ToolResult


def tools_to_json(tools: tuple[Tool, ...]) -> list[dict[str, Any]]:
    return [{"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)} for tool in tools]


def results_to_json(results: tuple[ToolResult, ...]) -> list[dict[str, Any]]:
    return [
        {"name": each.name, "result": each.result}
        | ({} if each.arguments is None else {"arguments": dict(each.arguments)})
        for each in results
    ]


def tools_of(record: Mapping[str, Any], where: str) -> tuple[Tool, ...]:
    tools = tuple(_tool(item, f"{where}: field 'tools'") for item in list_of(record, "tools", "tools", where))
    names = [tool.name for tool in tools]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise CaseError(f"{where}: field 'tools' has {twice!r} twice; keep one")
    return tools


def results_of(record: Mapping[str, Any], tools: tuple[Tool, ...], where: str) -> tuple[ToolResult, ...]:
    given = list_of(record, "tool_results", "results", where)
    results = tuple(_result(item, f"{where}: field 'tool_results'") for item in given)
    known = {tool.name for tool in tools}
    stray = next((each.name for each in results if each.name not in known), None)
    if stray is not None:
        raise CaseError(f"{where}: field 'tool_results' names {stray!r}, which is not one of its tools")
    return results


def _tool(obj: Any, where: str) -> Tool:
    record = object_of(obj, where, ("name", "description", "parameters"))
    return Tool(
        name=named(record.get("name"), "name", where),
        description=text_of(record.get("description", ""), "description", where),
        parameters=json_object(record.get("parameters", {}), "parameters", where),
    )


def _result(obj: Any, where: str) -> ToolResult:
    record = object_of(obj, where, ("name", "arguments", "result"))
    if "result" not in record:
        raise CaseError(f"{where}: field 'result' is missing; add the result of the tool")
    given, arguments = record["result"], record.get("arguments")
    plain = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, sort_keys=True)
    return ToolResult(
        name=named(record.get("name"), "name", where),
        result=text_of(plain, "result", where),
        arguments=None if arguments is None else json_object(arguments, "arguments", where),
    )
