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


class DetectableEffectItem(Wire):
    """The smallest true fall of a channel (`effect`, a fraction) that is found four times in five by the end of
    `nights` nights, the night of the fall being the first. `silent`: nothing announces it; `announced`: it begins with
    a known change. `two_runs` and `pinned_run` compare once, and find a change in either direction.
    """

    scenario: Literal["silent", "announced", "two_runs", "pinned_run"]
    nights: int
    effect: float


class DecidingTestItem(Wire):
    """The numbers of the test that decided, for `channel`: overall, a category or a failure category. `detectable` are
    the smallest changes that this test finds. `overall` are all cases as the same test saw them, where it decided on a
    category and found them to move as well.
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
    """The new level was accepted as the baseline: the rate is not back."""

    by: str
    reason: str
    at: datetime
