"""Failure categories over time: of the runs of a set, and of the corrections of production."""

from datetime import date, datetime

from monitor.api.schema.wire import Wire


class FailedCasesItem(Wire):
    """Scored cases of one severity and failure category; `none` counts the passed ones."""

    severity: str
    failure_category: str
    cases: int


class RunFailuresItem(Wire):
    """The scored cases of one run. `at` is when it started. The counts add up to the number of scored cases."""

    run_id: str
    at: datetime
    version: str | None
    version_label: str | None
    counts: list[FailedCasesItem]


class SetFailuresItem(Wire):
    """The finished runs of a set with a scored case, the oldest first. `metric` is null for the deciding verdict."""

    deployment: str
    set_name: str
    metric: str | None
    runs: list[RunFailuresItem]


class CorrectionDayItem(Wire):
    """The corrections of one UTC day in one category of the taxonomy."""

    day: date
    failure_category: str
    corrections: int


class CorrectionDaysItem(Wire):
    """Corrections by UTC day and failure category, the oldest day first. Days without a correction are omitted."""

    deployment: str
    taxonomy: str
    since: datetime
    days: list[CorrectionDayItem]
