"""The test that decided a verdict, with its numbers. The API, the alerts and the screens show these numbers only."""

from dataclasses import dataclass
from typing import Literal

from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import Kind, Range

TestName = Literal["two_runs", "known_change", "silent_drift", "open_alert", "pinned_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedChannel:
    """A category, or a failure category (`kind` mix), that moved according to the test. `effect` is after minus before.
    Either `p` is set, with the largest significant value `p_needed`, or `e` is set, with the smallest significant
    value `e_needed`.
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
    """The deciding test. `channel` is the channel that it decided on: overall, a category, or a failure category.
    `before` and `after` are its rates in the compared nights. `interval` is the 95 % interval for these cases.
    `detectable` has the smallest changes that the test finds with 80 % power, the shortest horizon first.

    `overall` is set when the test decided on a category and all cases together moved too.
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
        """Return the channel for a headline: all cases when they moved too, else the deciding channel."""
        return self.overall or self

    @property
    def categories_moved(self) -> tuple[MovedChannel, ...]:
        return tuple(row for row in self.moved if row.kind == "score")
