"""Asks for confirmation before an import removes many cases: a common mistake is a file with only the new cases."""

import sys
from collections.abc import Set as AbstractSet

import typer

from monitor.api.schema import CaseItem
from monitor.cli.connection.client import Api
from monitor.errors import DriftdError, UsageError

LARGE_SHARE = 0.2  # of the current cases
_MANY = 1_000_000  # lists all cases


def is_large_drop(current: AbstractSet[str], given: AbstractSet[str]) -> bool:
    """Return whether more than a fifth of the current cases would be removed.

    >>> is_large_drop({"a", "b", "c", "d", "e"}, {"a", "b", "c", "d"}), is_large_drop({"a", "b"}, {"a"})
    (False, True)
    """
    return len(current - given) > LARGE_SHARE * len(current)


def confirm_drop(api: Api, name: str, given: AbstractSet[str], origin: str) -> None:
    """Ask on a terminal. Raises UsageError without a terminal."""
    try:
        current = {case.id for case in api.list("/api/v1/cases", CaseItem, limit=_MANY, set_name=name).items}
    except DriftdError:  # no revision yet; the import reports other errors
        return
    if not is_large_drop(current, given):
        return
    dropped = f"{len(current - given)} of {len(current)} cases of {name!r} are not in {origin}"
    if not sys.stdin.isatty():
        raise UsageError(
            f"{dropped} and would be removed; add --yes to confirm (`driftd sets diff {name} FILE` lists them)"
        )
    typer.confirm(f"{dropped} and would be removed. Continue?", abort=True, err=True)
