"""The files of the package that decide: the imports of the measured functions, read from the text and not by importing.

What is imported already would differ between a test run and the bench.
"""

import ast
from collections.abc import Iterable
from pathlib import Path

from bench.drift_study.ledger import ROOT

MEASURED = ("monitor.drift.backtest", "monitor.stats.attribution", "monitor.stats.two_versions.comparison")
ROOMS = ("monitor.stats.", "monitor.drift.")


def deciding_sources(measured: Iterable[str] = MEASURED) -> list[Path]:
    """Return the measured modules and everything that they import from the rooms of statistics and drift, directly or
    not.
    """
    found: dict[str, Path] = {}
    waiting = list(measured)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _path(name)
            waiting += imported(ast.parse(found[name].read_text(encoding="utf-8")))
    return sorted(found.values())


def imported(tree: ast.AST) -> Iterable[str]:
    """Yield the modules of the rooms that a module imports, at its top or in a function.

    >>> sorted(imported(ast.parse("import monitor.stats.wilson; from monitor.drift.detect.history import History")))
    ['monitor.drift.detect.history', 'monitor.stats.wilson']
    >>> list(imported(ast.parse("from monitor.stats import wilson")))
    ['monitor.stats.wilson']
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith(ROOMS))
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            if node.module.startswith(ROOMS):
                yield node.module
            elif f"{node.module}." in ROOMS:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _path(name: str) -> Path:
    return (ROOT / name.replace(".", "/")).with_suffix(".py")
