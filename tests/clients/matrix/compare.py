"""Compare the rows of a scenario with the provider's calls: missing, additional, wrong or wrongly declared values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from monitor.domain.interaction import Interaction
from tests.clients.matrix.declaration import Declaration
from tests.clients.matrix.truth import ANYTHING, absent, row_fields, same_time, truth_of
from tests.clients.provider.call import Call


@dataclass(slots=True)
class Comparison:
    """`used` are the declarations that matched a call; the others are unused."""

    problems: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)  # ids of NotSent, Different and Skipped


@dataclass(frozen=True, slots=True)
class _Expected:
    """One call with the expected values of its row; `not_sent_fields` must be empty."""

    call: Call
    truth: dict[str, Any]
    fields: dict[str, Any]
    not_sent_fields: frozenset[str]
    unread: frozenset[str]  # of those, the ones that may be sent under another name


def compare(
    declared: Declaration,
    scenario: str,
    calls: Sequence[Call],
    rows: Sequence[Interaction],
    conversation: str | None,
    was_sent: Callable[[str], bool],
) -> Comparison:
    """Compare `rows`, the counted ones, oldest first. `was_sent` returns whether the client sent a text."""
    found = Comparison()
    kept = reported(declared, scenario, calls, found)
    if not calls:
        found.problems.append("the driver made no call")
    expected = [_expected(declared, scenario, n, call, conversation, found) for n, call in enumerate(kept, 1)]
    if len(rows) != len(expected):
        stored = [(row.convention, row.request_model, row.status.value, row.output_text[:40]) for row in rows]
        found.problems.append(f"{len(expected)} calls became {len(rows)} rows: {stored}")
        return found
    remaining = list(rows)
    for number, one in enumerate(expected, 1):
        alike = [_alike(one.truth, row_fields(row)) for row in remaining]
        row = remaining.pop(alike.index(max(alike)))
        problems = [*_problems(declared, one, row), *_sent_but_declared_missing(one, was_sent)]
        found.problems += [f"call {number}: {problem}" for problem in problems]
    return found


def reported(declared: Declaration, scenario: str, calls: Sequence[Call], found: Comparison) -> list[Call]:
    """Return the calls that the client reports. A client's own retry is one call, unless it reports its attempts."""
    kept = list(calls)
    if "retry" in scenario.split("_") and not declared.reports_attempts:
        kept = [replace(call, began_at=calls[0].began_at) for call in calls if call.http_status == 200]
    for skipped in declared.not_reported:
        if skipped.scenario == scenario:
            found.used.add(id(skipped))
            kept = [call for n, call in enumerate(kept, 1) if skipped.calls and n not in skipped.calls]
    return kept


def _expected(
    declared: Declaration, scenario: str, number: int, call: Call, conversation: str | None, found: Comparison
) -> _Expected:
    truth = truth_of(call, conversation)
    fields = dict(truth)
    for changed in declared.different:
        if changed.covers(scenario, number):
            value = truth[changed.same_as] if changed.same_as else changed.value
            if value != fields[changed.field]:
                found.used.add(id(changed))
            fields[changed.field] = value
    not_sent_fields: set[str] = set()
    unread: set[str] = set()
    for one in declared.not_sent:
        if one.covers(scenario, number):
            not_sent_fields |= set(one.fields)
            unread |= set(one.fields) if one.elsewhere else set()
            if any(not absent(truth[name]) for name in one.fields):
                found.used.add(id(one))
    return _Expected(call, truth, fields, frozenset(not_sent_fields), frozenset(unread))


def _alike(truth: dict[str, Any], stored: dict[str, Any]) -> int:
    return sum(not absent(value) and stored[name] == value for name, value in truth.items())


def _problems(declared: Declaration, one: _Expected, row: Interaction) -> list[str]:
    problems = []
    if row.convention not in declared.conventions:
        problems.append(f"recognized as {row.convention}, declared are {declared.conventions}")
    if not same_time(one.call, row):
        problems.append(f"stored at {row.started_at} for {row.duration_ms} ms, served at {one.call.began_at}")
    for name, value in row_fields(row).items():
        if name in one.not_sent_fields:
            if not absent(value):
                problems.append(f"{name} is declared as not sent, and is {value!r}")
        elif not _same(name, value, one.fields[name], one.call):
            problems.append(f"{name} is {value!r}, and was {one.fields[name]!r}")
    return problems


def _sent_but_declared_missing(one: _Expected, was_sent: Callable[[str], bool]) -> list[str]:
    """Return the texts that are declared as not sent but were sent. Numbers are too short to search for."""
    problems = []
    for name in one.not_sent_fields - one.unread:
        value = one.truth[name]
        texts = [value] if isinstance(value, str) else value if name == "tool_results" else []
        texts = [text for _, text in value] if name == "input" else texts
        problems += [
            f"{name} is declared as not sent, and {text!r} is on the wire"
            for text in texts
            if _is_distinctive(name, text, was_sent)
        ]
    return problems


def _is_distinctive(name: str, text: str, was_sent: Callable[[str], bool]) -> bool:
    """Return whether the text is sent and cannot mean anything else, as the values of an enumeration can."""
    return name not in ("status", "error_class", "finish_reason") and bool(text) and was_sent(text)


def _same(name: str, stored: Any, expected: Any, call: Call) -> bool:
    """Return whether the values agree. Any prefix of the output is right for an abandoned stream."""
    if expected is ANYTHING:
        return True
    if name == "output" and call.abandoned and expected:
        return bool(stored) and expected.startswith(stored.strip())
    return (absent(stored) and absent(expected)) or stored == expected
