"""Which convention reads a span: the first that claims it, of those whose signs are among its names."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from monitor.ingest.conventions.base import Convention
from monitor.ingest.name_sets import by_names
from monitor.ingest.otlp_records import OtlpSpan

Claimants = Callable[[Mapping[str, Any]], tuple[Convention, ...]]  # of attributes: who may claim them, in their order


@lru_cache(8)
def claimants(conventions: tuple[Convention, ...]) -> Claimants:
    """Most spans have the names of one convention or of none, and no other is asked."""
    return by_names(lambda names: tuple(c for c in conventions if not c.signs.isdisjoint(names)))


def claimant(span: OtlpSpan, among: Sequence[Convention]) -> Convention | None:
    for convention in among:
        if convention.claims(span):
            return convention
    return None
