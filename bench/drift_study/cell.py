"""One cell of the table: which world, which change, what is counted."""

from dataclasses import dataclass
from typing import Literal

Change = Literal["none", "drop", "ramp", "category", "moved", "new_class", "surge", "surge_moved"]
Count = Literal["false_alarms", "again", "silent", "known", "mix", "judge", "interval", "speed"]
NightScale = Literal["logit", "clipped"]
Outage = Literal["random", "easiest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Everything that shapes a history besides the seed. Sizes are fractions of 1: two points are 0.02."""

    name: str
    figures: tuple[int, ...]
    count: Count
    n: int = 300
    k: int = 1
    baseline: int = 14
    monitored: int = 180
    change: Change = "none"
    size: float = 0.0
    after: int = 60  # monitored nights before the change
    redraw: bool = False  # the new version answers other cases, not only fewer
    announced: bool = False  # the version string changes with it
    night_sd: float = 0.0
    night_scale: NightScale = "logit"
    labels: bool = False
    missing: float = 0.0
    outage: Outage | None = None
    revision_after: int | None = None  # monitored nights before half the cases are replaced
    varied_k: bool = False
    second_after: int | None = None  # monitored nights before a second change of the same size
    judge_size: float = 0.0
    rejudged: int = 0
    limit: bool = False  # the all-knowing CUSUM runs beside

    @property
    def nights(self) -> int:
        return self.baseline + self.monitored

    @property
    def change_night(self) -> int:
        """The first night of the change, an index into all nights; the number of nights when there is none."""
        return self.nights if self.change == "none" and not self.announced else self.baseline + self.after

    @property
    def counted_from(self) -> int:
        """The first night of the change that is measured: the second one where there are two."""
        return self.change_night if self.second_after is None else self.baseline + self.second_after
