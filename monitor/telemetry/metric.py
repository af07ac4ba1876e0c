"""The declaration of a metric, and the bucket bounds of histograms."""

from dataclasses import dataclass
from typing import Literal

QUICK_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
CALL_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0)
LATE_S = (1.0, 5.0, 30.0, 60.0, 300.0, 1800.0, 3600.0, 6 * 3600.0, 24 * 3600.0)
_SUFFIXES = {"s": "_seconds", "By": "_bytes", "usd": "_usd"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A declared instrument: `labels` are all its attribute keys, `buckets` the bounds of a histogram.

    `action` is what a person does about the value, for docs/daemon-metrics.md.
    """

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    unit: str
    description: str
    action: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()

    @property
    def prometheus_name(self) -> str:
        """Return the name of the metric family at `/metrics`, with its unit and `_total` as suffixes.

        >>> Metric(name="driftd.replay.cost", kind="counter", unit="usd", description="", action="").prometheus_name
        'driftd_replay_cost_usd_total'
        """
        suffix = _SUFFIXES.get(self.unit, "") + ("_total" if self.kind == "counter" else "")
        return self.name.replace(".", "_") + suffix
