"""The deciding test of a finding, and its acceptance."""

from datetime import datetime
from typing import Literal

from monitor.api.schema.wire import Wire

Kind = Literal["score", "mix", "behaviour", "judge"]


class MovedChannelItem(Wire):
    """A category, or a failure category (`kind` mix), that changed according to the test. `effect` is after minus
    before, `interval` is its 95 % interval. `p` comes with `p_needed`, `e` with `e_needed`.
    """

    kind: Kind
    channel: str
    cases: int | None
    before: float | None
    after: float | None
    effect: float | None
    interval: tuple[float, float] | None
    p: float | None
    p_needed: float | None
    e: float | None
    e_needed: float | None


class DetectableEffectItem(Wire):
    """The smallest true fall of a channel (`effect`, a fraction) that is detected in four of five histories within
    `nights` nights, counted from the night of the fall. `silent`: not announced; `announced`: it begins with an
    announced change. `two_runs` and `pinned_run` compare once, in both directions.
    """

    scenario: Literal["silent", "announced", "two_runs", "pinned_run"]
    nights: int
    effect: float


class DecidingTestItem(Wire):
    """The numbers of the test that decided, for `channel`: overall, a category or a failure category. `detectable` are
    the smallest changes that this test detects. `overall` is the result for all cases, if the test decided on a
    category and all cases changed too.
    """

    test: Literal["two_runs", "known_change", "silent_drift", "open_alert", "pinned_run"]
    channel: str
    kind: Kind
    cases: int | None
    before: float | None
    after: float | None
    effect: float | None
    interval: tuple[float, float] | None
    p: float | None
    p_needed: float | None
    e: float | None
    e_needed: float | None
    detectable: tuple[DetectableEffectItem, ...] = ()
    moved: list[MovedChannelItem]
    overall: MovedChannelItem | None


class AcceptanceItem(Wire):
    """The acceptance of a finding as the new baseline: the score did not recover."""

    by: str
    reason: str
    at: datetime
