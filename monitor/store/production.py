"""Production traffic as days: counted anew from the rows whenever it is asked."""

from dataclasses import dataclass
from datetime import UTC, date, datetime

from monitor.domain.finding import Finding
from monitor.domain.production import DayCounts, ProductionPolicy, Series
from monitor.store import alerts, baselines, findings
from monitor.store.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSeries:
    """The last finding on a series, the one that opened its open alert, and the day its accepted baseline begins."""

    previous: Finding | None
    opening: Finding | None
    accepted: date | None


def known(tx: Tx, deployment: str, series: Series) -> KnownSeries:
    alert = alerts.open_of_series(tx, deployment, series)
    baseline = baselines.current_of_series(tx, deployment, series)
    return KnownSeries(
        previous=findings.newest_of_series(tx, deployment, series),
        opening=findings.get(tx, alert.finding_id) if alert else None,
        accepted=baseline.counts_from.date() if baseline else None,
    )


def days(  # noqa: PLR0917 - what is counted, and by which rule an answer refuses
    tx: Tx, deployment: str, since: date, until: date, policy: ProductionPolicy, refusal: str, refusal_chars: int
) -> list[DayCounts]:
    """The UTC days of [since, until) on which there were calls, oldest first. `refusal` is a regular expression that
    the first `refusal_chars` of an answer are searched for, in lower case.
    """
    rows = tx.query(
        "production_days",
        deployment=deployment,
        since=_midnight(since),
        until=_midnight(until),
        late_days=policy.late_days,
        input_usd_per_mtok=policy.input_usd_per_mtok,
        output_usd_per_mtok=policy.output_usd_per_mtok,
        cost_of_calls=policy.cost_of_calls,
        refusal=refusal,
        refusal_chars=refusal_chars,
    )
    return [DayCounts(**row) for row in rows]


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
