"""The test that a verdict rests on, with its numbers: every surface shows these and no others."""

from dataclasses import dataclass
from typing import Literal

from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import Kind, Range

TestName = Literal["two_runs", "known_change", "silent_drift", "open_alert", "pinned_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedChannel:
    """A category, or a failure category (`kind` mix), that moved by the test. `effect` is after minus before. `p` comes
    with its largest value that counts, `p_needed`, or `e` with its smallest, `e_needed`.
    """

    kind: Kind
    channel: str
    cases: int | None = None
    before: float | None = None
    after: float | None = None
    effect: float | None = None
    interval: Range | None = None
    p: float | None = None
    p_needed: float | None = None
    e: float | None = None
    e_needed: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingTest:
    """The test. `channel` is what it decided on: overall, a category, or a failure category. `before` and `after` are
    its rates in the compared nights; `interval` is at 95 % for these cases. `detectable` are the smallest changes
    that it finds with 80 % power, the shortest horizon first.

    `overall` are all cases in the same test, when it decided on a category and they moved as well.
    """

    test: TestName
    channel: str
    kind: Kind = "score"
    cases: int | None = None
    before: float | None = None
    after: float | None = None
    effect: float | None = None
    interval: Range | None = None
    p: float | None = None
    p_needed: float | None = None
    e: float | None = None
    e_needed: float | None = None
    detectable: tuple[DetectableEffect, ...] = ()
    moved: tuple[MovedChannel, ...] = ()
    overall: MovedChannel | None = None

    @property
    def lead(self) -> "MovedChannel | DecidingTest":
        """The channel for a headline: all cases when they moved as well."""
        return self.overall or self

    @property
    def categories_moved(self) -> tuple[MovedChannel, ...]:
        return tuple(row for row in self.moved if row.kind == "score")
