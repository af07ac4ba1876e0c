"""Reads the ingest counts and the disk of the running daemon."""

import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from monitor.alerting.checks import disk, ingest
from monitor.alerting.checks.condition import Condition
from monitor.domain.check_policy import CheckPolicy
from monitor.ingest.intake import Intake


class IngestCheck:
    """Reads the counts of the last minutes. They start at zero in each process."""

    rules = ingest.RULES
    every_s = 15.0
    follows_runs = False

    def __init__(self, intake: Intake, totals: Callable[[float], ingest.IngestTotals], policy: CheckPolicy) -> None:
        self._intake, self._totals, self._policy = intake, totals, policy

    def conditions(self, now: datetime) -> Iterator[Condition]:
        del now
        totals = self._totals(self._policy.ingest_window_s)
        yield from ingest.ingest_conditions(totals, self._intake.rows, self._intake.capacity, self._policy)


class DiskCheck:
    """Reads the free space of the disk of the store."""

    rules = (disk.RULE,)
    every_s = 30.0
    follows_runs = False

    def __init__(self, folder: Path, policy: CheckPolicy) -> None:
        self._folder, self._policy = folder, policy

    def conditions(self, now: datetime) -> Iterator[Condition]:
        del now
        found = shutil.disk_usage(self._folder)
        yield disk.disk_condition(str(self._folder), found.free, found.total, self._policy)
