"""No cache of the dashboard may give a reader what another reader was allowed to see."""

import ast
from collections.abc import Iterator
from pathlib import Path

import dashboards

WITHOUT_DATA = {"_requires_token"}  # asks the daemon without a token


def cached_functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in sorted(Path(dashboards.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any("cache_" in ast.unparse(each) for each in node.decorator_list):
                yield path.name, node


def test_every_cached_function_has_the_connection_of_the_reader_in_its_key() -> None:
    found = [(name, node) for name, node in cached_functions() if node.name not in WITHOUT_DATA]
    assert len(found) > 5
    wrong = [
        f"{name}: {node.name}"
        for name, node in found
        if not node.args.args or ast.unparse(node.args.args[0].annotation or ast.Constant(None)) != "Connection"
    ]
    assert wrong == []


def test_no_cached_function_asks_for_the_connection_itself() -> None:
    wrong = [f"{name}: {node.name}" for name, node in cached_functions() if "connection_now" in ast.unparse(node)]
    assert wrong == []
