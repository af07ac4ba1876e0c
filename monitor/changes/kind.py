"""The kind of the change between two versions."""

from collections.abc import Mapping

from monitor.domain.version import ChangeKind

_FACTOR = {
    "response_model": ChangeKind.MODEL,
    "request_model": ChangeKind.MODEL,
    "prompt": ChangeKind.PROMPT,
}


def differing(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Return the identity fields that differ, in the order of `after`, then those that only `before` has."""
    names = [*after, *(name for name in before if name not in after)]
    return tuple(name for name in names if before.get(name) != after.get(name))


def kind_of(before: Mapping[str, str], after: Mapping[str, str]) -> ChangeKind:
    """Return the one factor that differs; `unknown` when none does, or several (`differing` names them)."""
    factors = {_FACTOR.get(name, ChangeKind.UNKNOWN) for name in differing(before, after)}
    return factors.pop() if len(factors) == 1 else ChangeKind.UNKNOWN
