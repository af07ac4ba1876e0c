"""Lays the rows of a scenario beside the provider's truth: what is missing, too much, wrong or wrongly declared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from monitor.domain.interaction import Interaction
from tests.clients.matrix.declaration import Declaration
from tests.clients.matrix.truth import ANYTHING, absent, row_fields, same_time, truth_of
from tests.clients.provider.call import Call


@dataclass(slots=True)
class Compared:
    """`used` are declarations that something was seen for: the others are idle."""

    problems: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)  # ids of NotSent, Otherwise and Skipped


@dataclass(frozen=True, slots=True)
class _Expected:
    """One call with what its row must have; `left_out` must be empty there."""

    call: Call
    truth: dict[str, Any]
    fields: dict[str, Any]
    left_out: frozenset[str]
    unread: frozenset[str]  # of those, what may be on the wire in a place that says something else


def compare(
    declared: Declaration,
    scenario: str,
    calls: Sequence[Call],
    rows: Sequence[Interaction],
    conversation: str | None,
    saw: Callable[[str], bool],
) -> Compared:
    """`rows` are those that count, oldest first; `saw` says whether the client sent a text."""
    found = Compared()
    kept = reported(declared, scenario, calls, found)
    if not calls:
        found.problems.append("the driver made no call")
    expected = [_expected(declared, scenario, n, call, conversation, found) for n, call in enumerate(kept, 1)]
    if len(rows) != len(expected):
        shown = [(row.convention, row.request_model, row.status.value, row.output_text[:40]) for row in rows]
        found.problems.append(f"{len(expected)} calls became {len(rows)} rows: {shown}")
        return found
    left = list(rows)
    for number, one in enumerate(expected, 1):
        alike = [_alike(one.truth, row_fields(row)) for row in left]
        row = left.pop(alike.index(max(alike)))
        problems = [*_problems(declared, one, row), *_on_the_wire(one, saw)]
        found.problems += [f"call {number}: {problem}" for problem in problems]
    return found


def reported(declared: Declaration, scenario: str, calls: Sequence[Call], found: Compared) -> list[Call]:
    """The calls that the client reports: a client's own retry is one call, unless it reports its attempts."""
    kept = list(calls)
    if "retry" in scenario.split("_") and not declared.reports_attempts:
        kept = [replace(call, began_at=calls[0].began_at) for call in calls if call.http_status == 200]
    for skipped in declared.not_reported:
        if skipped.scenario == scenario:
            found.used.add(id(skipped))
            kept = [call for n, call in enumerate(kept, 1) if skipped.calls and n not in skipped.calls]
    return kept


def _expected(
    declared: Declaration, scenario: str, number: int, call: Call, conversation: str | None, found: Compared
) -> _Expected:
    truth = truth_of(call, conversation)
    fields = dict(truth)
    for changed in declared.otherwise:
        if changed.covers(scenario, number):
            value = truth[changed.same_as] if changed.same_as else changed.value
            if value != fields[changed.field]:
                found.used.add(id(changed))
            fields[changed.field] = value
    left_out: set[str] = set()
    unread: set[str] = set()
    for one in declared.not_sent:
        if one.covers(scenario, number):
            left_out |= set(one.fields)
            unread |= set(one.fields) if one.elsewhere else set()
            if any(not absent(truth[name]) for name in one.fields):
                found.used.add(id(one))
    return _Expected(call, truth, fields, frozenset(left_out), frozenset(unread))


def _alike(truth: dict[str, Any], stored: dict[str, Any]) -> int:
    return sum(not absent(value) and stored[name] == value for name, value in truth.items())


def _problems(declared: Declaration, one: _Expected, row: Interaction) -> list[str]:
    problems = []
    if row.convention not in declared.conventions:
        problems.append(f"recognized as {row.convention}, declared are {declared.conventions}")
    if not same_time(one.call, row):
        problems.append(f"stored at {row.started_at} for {row.duration_ms} ms, served at {one.call.began_at}")
    for name, value in row_fields(row).items():
        if name in one.left_out:
            if not absent(value):
                problems.append(f"{name} is declared as not sent, and is {value!r}")
        elif not _same(name, value, one.fields[name], one.call):
            problems.append(f"{name} is {value!r}, and was {one.fields[name]!r}")
    return problems


def _on_the_wire(one: _Expected, saw: Callable[[str], bool]) -> list[str]:
    """Texts that are declared as not sent, and were. Numbers are too short to be looked for."""
    problems = []
    for name in one.left_out - one.unread:
        value = one.truth[name]
        texts = [value] if isinstance(value, str) else value if name == "tool_results" else []
        texts = [text for _, text in value] if name == "input" else texts
        problems += [
            f"{name} is declared as not sent, and {text!r} is on the wire" for text in texts if _told(name, text, saw)
        ]
    return problems


def _told(name: str, text: str, saw: Callable[[str], bool]) -> bool:
    """Words of a vocabulary mean other things as well."""
    return name not in ("status", "error_class", "finish_reason") and bool(text) and saw(text)


def _same(name: str, stored: Any, expected: Any, call: Call) -> bool:
    """Of an abandoned stream any beginning of the output is right."""
    if expected is ANYTHING:
        return True
    if name == "output" and call.abandoned and expected:
        return bool(stored) and expected.startswith(stored.strip())
    return (absent(stored) and absent(expected)) or stored == expected
