"""Everything that the overview reads, in one transaction and with one statement for all deployments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from monitor.alerting.checks.condition import Condition
from monitor.api.context import ApiContext
from monitor.domain.alert import Alert
from monitor.domain.calendar.pauses import Pause
from monitor.domain.review import CandidateCounts
from monitor.store.engine.database import Tx
from monitor.store.findings import alerts
from monitor.store.overview import nights as stored_nights
from monitor.store.overview import rows
from monitor.store.overview.nights import Night, PassCount
from monitor.store.overview.rows import CurrentSet, CurrentVersion, NewestVerdict, OpenReplay, Pair, Traffic
from monitor.store.runs import pauses
from monitor.store.sets import candidates

WINDOW = timedelta(days=7)  # of production calls and corrections


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The rows of all deployments. `labels` are those of versions, by deployment and id."""

    now: datetime
    sets_of: Mapping[str, Sequence[str]]
    sets: Mapping[str, CurrentSet]
    verdicts: Mapping[Pair, NewestVerdict]
    nights: Mapping[Pair, Sequence[Night]]
    counts: Mapping[str, PassCount]
    alerts: Mapping[str, Sequence[Alert]]
    versions: Mapping[str, CurrentVersion]
    labels: Mapping[Pair, str]
    replays: Mapping[str, OpenReplay]
    traffic: Mapping[str, Traffic]
    candidates: Mapping[str, CandidateCounts]
    pauses: Mapping[str, Sequence[Pause]]
    conditions: Sequence[Condition]


def deployments(context: ApiContext, tx: Tx) -> dict[str, list[str]]:
    """Return the sets of each deployment that is configured or has imported runs, by name."""
    found = {name: list(policy.sets) for name, policy in context.policy.deployments.items()}
    for name, set_name in rows.imported_pairs(tx):
        sets = found.setdefault(name, [])
        if set_name not in sets:
            sets.append(set_name)
    return dict(sorted(found.items()))


def read_facts(context: ApiContext, tx: Tx, sets_of: Mapping[str, Sequence[str]], nights: int) -> Facts:
    """Read the state of these deployments with at most `nights` nights of each set."""
    now = context.clock.now().astimezone(UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    newest = stored_nights.newest(tx, list(sets_of), nights, now)
    return Facts(
        now=now,
        sets_of=sets_of,
        sets=rows.current_sets(tx),
        verdicts=rows.verdicts(tx, list(sets_of)),
        nights=_by_pair(newest),
        counts=stored_nights.pass_counts(tx, [night.run_id for night in newest]),
        alerts=_by_deployment(alerts.open_all(tx)),
        versions=rows.current_versions(tx),
        labels=rows.version_labels(tx),
        replays=rows.open_replays(tx, now),
        traffic=rows.traffic(tx, now - WINDOW, midnight),
        candidates=candidates.counts(tx),
        pauses=pauses.of_schedules(tx),
        conditions=context.conditions(),
    )


def _by_pair(nights: Sequence[Night]) -> dict[Pair, list[Night]]:
    found: dict[Pair, list[Night]] = {}
    for night in nights:
        found.setdefault((night.deployment, night.set_name), []).append(night)
    return found


def _by_deployment(rows_: Sequence[Alert]) -> dict[str, list[Alert]]:
    found: dict[str, list[Alert]] = {}
    for row in rows_:
        found.setdefault(row.deployment, []).append(row)
    return found
