"""The newest verdicts, versions, open runs, traffic and sets of all deployments."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.baseline import Acceptance
from monitor.domain.deciding_test import DecidingTest
from monitor.domain.finding import Verdict
from monitor.store.engine.transaction import Tx
from monitor.store.findings.decision_json import acceptance_from_json, decided_from_json

Pair = tuple[str, str]  # deployment, set


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestVerdict:
    """The newest finding of a set. `effect` has the ends `low` and `high`; all are None without a comparison.
    `measured_at` is when its run ended.
    """

    id: str
    deployment: str
    set_name: str
    at: datetime
    verdict: Verdict
    reason: str
    candidate_run: str
    held_back: str | None
    acceptance: Acceptance | None
    decided: DecidingTest | None
    measured_at: datetime | None
    trigger: str | None
    effect: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentVersion:
    """The current version of a deployment, and its newest change; the fields are None without a change."""

    deployment: str
    version: str | None
    change_id: str | None
    at: datetime | None
    kind: str | None
    how: str | None
    from_version: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenReplay:
    """A replay that is due, running or waiting for its target."""

    id: str
    deployment: str
    set_name: str
    state: str
    planned_at: datetime
    started_at: datetime | None
    retry_at: datetime | None
    samples: int
    outcomes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Production calls and corrections of a deployment in the window and today. `last_call_at` is None without a call
    in the window.
    """

    deployment: str
    calls: int = 0
    calls_today: int = 0
    last_call_at: datetime | None = None
    corrections: int = 0
    corrections_today: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentSet:
    """The current revision of a set."""

    name: str
    kind: str
    cases: int
    created_at: datetime


def verdicts(tx: Tx, deployments: Sequence[str]) -> dict[Pair, NewestVerdict]:
    """Return the newest verdict of each set of these deployments."""
    found: dict[Pair, NewestVerdict] = {}
    for row in tx.query("overview_verdicts", deployments=list(deployments)):
        acceptance, decided = row.pop("acceptance"), row.pop("decided")
        found[row["deployment"], row["set_name"]] = NewestVerdict(
            **row | {"verdict": Verdict(row["verdict"])},
            acceptance=None if acceptance is None else acceptance_from_json(acceptance),
            decided=None if decided is None else decided_from_json(decided),
        )
    return found


def current_versions(tx: Tx) -> dict[str, CurrentVersion]:
    """Return the current version of each deployment that has one."""
    return {row["deployment"]: CurrentVersion(**row) for row in tx.query("overview_versions")}


def open_replays(tx: Tx, now: datetime) -> dict[str, OpenReplay]:
    """Return the open replay of each deployment that has one: the running one, else the one that is due first."""
    found: dict[str, OpenReplay] = {}
    for row in tx.query("overview_open_runs", now=now):
        found.setdefault(row["deployment"], OpenReplay(**row))
    return found


def traffic(tx: Tx, since: datetime, midnight: datetime) -> dict[str, Traffic]:
    """Return the calls and corrections since then of each deployment that has some."""
    return {row["deployment"]: Traffic(**row) for row in tx.query("overview_traffic", since=since, midnight=midnight)}


def current_sets(tx: Tx) -> dict[str, CurrentSet]:
    """Return the current revision of each set."""
    return {row["name"]: CurrentSet(**row) for row in tx.query("current_revisions")}


def imported_pairs(tx: Tx) -> list[Pair]:
    """Return each deployment and set with imported runs."""
    return [(row["deployment"], row["set_name"]) for row in tx.query("imported_pairs")]


def version_labels(tx: Tx) -> dict[Pair, str]:
    """Return the label of every version, by deployment and id."""
    return {(row["deployment"], row["id"]): row["label"] for row in tx.query("version_labels")}
