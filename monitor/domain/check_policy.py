"""The thresholds of the rules about driftd's own health."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPolicy:
    """Thresholds; see `alerts.checks` in the configuration."""

    replay_start_s: float = 7_200.0  # a run is late if it has not started this long after it was due ...
    replay_late_factor: float = 3.0  # ... or if it runs for this many times its usual duration ...
    replay_late_least_s: float = 1_800.0  # ... and at least for this time
