"""The thresholds of the rules about driftd's own health."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPolicy:
    """Thresholds; see `alerts.checks` in the configuration."""

    replay_start_s: float = 7_200.0  # a run is late if it has not started this long after it was due ...
    replay_late_factor: float = 3.0  # ... or if it runs for this many times its usual duration ...
    replay_late_least_s: float = 1_800.0  # ... and at least for this time
    change_s: float = 86_400.0  # from a change to the first verdict on each set
    target_failed_share: float = 0.5  # of the calls of the newest run
    ingest_window_s: float = 600.0
    ingest_fewest: int = 20  # refused requests, or dead letters, from which a share counts
    refused_share: float = 0.05
    dead_letter_share: float = 0.02
    intake_share: float = 0.9
    commit_wait_s: float = 30.0
    disk_free_share: float = 0.05
    disk_free_bytes: float = 2e9
    candidate_age_s: float = 1_209_600.0
    candidates_most: int = 200
    traffic_false_alarms: float = 0.5  # of each deployment in a year
