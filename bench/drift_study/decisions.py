"""A summary of what the code decides: its constants, and its alerts on some histories.

The bench stores it with the results of this code. Results belong to code that decides the same: rearranged code keeps
them after --confirm, code with a changed number never does.
"""

import ast
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.drift_study.cells import all_cells
from bench.drift_study.ours import our_methods, tally_runs
from bench.drift_study.sources import deciding_sources
from bench.drift_study.world import WORLD

RUNS = 2
SEED = 1
SAMPLED = (
    "1/null/n100/k1/still",
    "1/null/n300/k1/night_clipped",
    "2/drop2/redraw",
    "2/drop5/shift",
    "2/category30/shift",
    "2/ramp0.2/shift",
    "3/null/n300/k1/night",
    "3/drop5/n300/k1/shift",
    "3/drop2/n300/k1/redraw",
    "3/noisier/rho60/c10/n300/k1/announced/pull40",
    "3/churn/c10/fall1.5",
    "3/collapse50/at100/n60/after3",
    "3/collapse50/at90/n20/after10",
    "5/surge3",
    "5/new15",
    "6/both/m1200",
    "7/nights1/shift/still",
    "8/revision/silent_drop10",
    "8/varied_k/known_drop2",
    "8/restart/null",
)
DIGITS = 6
TOLERANCE = 1e-4  # relative: another NumPy may differ in the last digits
TRIVIAL = (-1, 0, 1, 2)  # inside functions: indices and halves, not constants of a method


def decisions(code: str) -> dict[str, Any]:
    """Return the document to store with results of the code with that hash."""
    trees = deciding_trees()
    return {
        "code": code,
        "world": WORLD,
        "constants": constants(trees),
        "numbers_in_functions": numbers_in_functions(trees),
        "histories": {name: _sample(name) for name in SAMPLED},
    }


def deciding_trees() -> list[ast.Module]:
    """Return the syntax tree of every deciding file."""
    return [ast.parse(path.read_text(encoding="utf-8")) for path in deciding_sources()]


def decisions_path(results: Path) -> Path:
    """Return the file that belongs to a file of results."""
    return results.with_name(f"{results.stem}.decisions.json")


def read_decisions(results: Path) -> dict[str, Any] | None:
    """Return the decisions stored with a file of results."""
    path = decisions_path(results)
    if not path.exists():
        return None
    stored: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return stored


def write_decisions(results: Path, code: str) -> None:
    """Store the decisions of today with a file of results."""
    results.parent.mkdir(parents=True, exist_ok=True)
    decisions_path(results).write_text(json.dumps(decisions(code), indent=1) + "\n", "utf-8")


def changed_numbers(stored: Mapping[str, Any], trees: Sequence[ast.Module]) -> list[str]:
    """Return the numbers that are new in the deciding code, and those that are gone; empty when it was only rearranged.

    Code is rearranged when its constants have the same numbers as before and its functions no others, or when no number
    was added or lost in total: a constant may be renamed, moved, or taken out of a function.
    """
    was_named, now_named = _named(stored["constants"]), _named(constants(trees))
    was_inside = Counter({float(number): times for number, times in stored["numbers_in_functions"].items()})
    now_inside = Counter({float(number): times for number, times in numbers_in_functions(trees).items()})
    if was_named == now_named and set(was_inside) == set(now_inside):
        return []
    was, now = was_named + was_inside, now_named + now_inside
    lost = sorted(number for number in was - now if number not in TRIVIAL or number in was_named - now_named)
    added = sorted(number for number in now - was if number not in TRIVIAL)
    return [*(f"{number:g} is gone" for number in lost), *(f"{number:g} is new" for number in added)]


def _named(values: Mapping[str, Iterable[str]]) -> Counter[float]:
    """Return how often each number occurs in the module-level constants."""
    return Counter(float(number) for texts in values.values() for text in texts for number in _numbers(ast.parse(text)))


def constants(trees: Iterable[ast.Module]) -> dict[str, list[str]]:
    """Return the module-level assignments with numbers: name to values, one for each module that has the name.

    >>> constants([ast.parse("FRACTIONS = (.38,  0.48)  # measured"), ast.parse("NAMES = ('a',)")])
    {'FRACTIONS': ['(0.38, 0.48)']}
    """
    found: dict[str, list[str]] = {}
    for tree in trees:
        for node in tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and any(_numbers(node.value)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found.setdefault(", ".join(map(ast.unparse, targets)), []).append(ast.unparse(node.value))
    return {name: sorted(values) for name, values in sorted(found.items())}


def numbers_in_functions(trees: Iterable[ast.Module]) -> dict[str, int]:
    """Return each number inside functions and classes, and how often it occurs.

    >>> numbers_in_functions([ast.parse("def f(x): return 0.3 * x[0] + 0.3")])
    {'0.3': 2}
    """
    inside = (node for tree in trees for node in tree.body if not isinstance(node, ast.Assign | ast.AnnAssign))
    counted = Counter(number for node in inside for number in _numbers(node) if number not in TRIVIAL)
    return {repr(number): times for number, times in sorted(counted.items(), key=lambda item: float(item[0]))}


def _numbers(tree: ast.AST) -> Iterator[float]:
    """Yield every number with its sign."""
    negative = {id(node.operand) for node in ast.walk(tree) if isinstance(node, ast.UnaryOp) and _is_minus(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            yield -node.value if id(node) in negative else node.value


def _is_minus(node: ast.UnaryOp) -> bool:
    return isinstance(node.op, ast.USub)


def _sample(name: str) -> dict[str, Any]:
    """Return the alerts of the first histories of a cell, and their counts."""
    methods = our_methods()
    alerts: list[Any] = []

    def recorded(line: Mapping[str, object]) -> Mapping[str, Any]:
        answer = methods.detector(line)
        alerts.append(answer["alerts"])
        return answer

    tally = tally_runs(all_cells()[name], range(RUNS), SEED, replace(methods, detector=recorded)).to_json()
    counted = {"counts": tally["counts"], "sums": tally["sums"]}
    return {"alerts": _rounded(alerts), **_rounded(counted)}


def _rounded(made: Any) -> Any:
    if isinstance(made, float):
        return float(f"{made:.{DIGITS}g}")
    if isinstance(made, Mapping):
        return {name: _rounded(value) for name, value in made.items()}
    return [_rounded(value) for value in made] if isinstance(made, list | tuple) else made


def differences(stored: Any, today: Any, where: str = "") -> Iterator[str]:
    """Yield what differs, one sentence per place; numbers may differ in their last digits.

    >>> list(differences({"e": 1.0, "night": 74}, {"e": 1.0000001, "night": 75}))
    ['night: was 74, is 75']
    """
    if isinstance(stored, Mapping) and isinstance(today, Mapping):
        for name in [*stored, *(name for name in today if name not in stored)]:
            yield from differences(stored.get(name), today.get(name), f"{where}/{name}" if where else str(name))
    elif isinstance(stored, list) and isinstance(today, list) and len(stored) == len(today):
        for place, (was, now) in enumerate(zip(stored, today, strict=True)):
            yield from differences(was, now, f"{where}[{place}]")
    elif isinstance(stored, float) and isinstance(today, int | float):
        if abs(stored - today) > TOLERANCE * max(abs(stored), abs(today)):
            yield f"{where}: was {stored}, is {today}"
    elif stored != today:
        yield f"{where}: was {stored}, is {today}"
