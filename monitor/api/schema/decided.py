"""The test that a finding rests on, and who accepted it."""

from datetime import datetime
from typing import Literal

from monitor.api.schema.wire import Wire

Kind = Literal["score", "mix", "behaviour", "judge"]


class MovedChannelItem(Wire):
    """A category, or a failure category (`kind` mix), that the test found to have moved; `effect` is after minus
    before, `interval` at 95 %. `p` comes with `p_needed`, `e` with `e_needed`.
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


class DecidingTestItem(Wire):
    """The numbers of the test that decided, for `channel`: overall, a category or a failure category. `smallest_effect`
    is the smallest true change that this test finds four times in five, after `smallest_nights` nights. `overall` are
    all cases as the same test saw them, where it decided on a category and found them to move as well.
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
    smallest_effect: float | None
    smallest_nights: int | None
    moved: list[MovedChannelItem]
    overall: MovedChannelItem | None


class AcceptanceItem(Wire):
    """The new level was accepted as the baseline: the rate is not back."""

    by: str
    reason: str
    at: datetime
