"""One cell of the table: which world, which change, what is counted."""

from dataclasses import dataclass
from typing import Literal

from bench.drift_study.cases import INTRACLASS, MEANS, RANK_CORRELATIONS, SHARES

Change = Literal["none", "drop", "ramp", "category", "noisier", "moved", "new_class", "surge", "surge_moved"]
Count = Literal[
    "false_alarms", "again", "silent", "known", "event", "mix", "judge", "interval", "alarm_interval", "speed"
]
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
    horizon: int | None = None  # nights that alpha is spent over; the monitored nights when None
    intraclass: float = INTRACLASS  # share of the outcomes' variance that is between cases; 1: every case is certain
    means: tuple[float, float] = MEANS  # range of the model's mean pass rate
    categories: int = len(SHARES)
    change: Change = "none"
    size: float = 0.0
    after: int = 60  # monitored nights before the change
    redraw: bool = False  # the new version answers other cases, not only fewer
    ranks: tuple[float, float] = RANK_CORRELATIONS  # of difficulty between the two versions of a redraw
    even: bool = False  # a drop takes the same from every category's mean
    pull: float = 0.0  # of "noisier": share of the way from each case's probability to its category's mean
    announced: bool = False  # the version string changes with it
    harmless: int = 0  # nights that the announced version answers exactly as the old one, before the change
    night_sd: float = 0.0
    night_scale: NightScale = "logit"
    repeat_share: float = 0.0  # of the cases, asked once more every night
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
        return self.nights if self.change == "none" and not self.announced else self.version_night + self.harmless

    @property
    def version_night(self) -> int:
        """The first night of the new version string, where one is announced."""
        return self.baseline + self.after

    @property
    def counted_from(self) -> int:
        """The first night of the change that is measured: the second one where there are two."""
        return self.change_night if self.second_after is None else self.baseline + self.second_after
