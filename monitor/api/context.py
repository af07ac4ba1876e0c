"""The dependencies of all routes. app.py passes them once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, cast

from fastapi import Depends, Request
from pydantic import SecretStr

from monitor.alerting.checks.condition import Condition
from monitor.alerting.notify.base import Receiver
from monitor.api.auth import Tokens
from monitor.api.keyed_lock import KeyedLock
from monitor.api.uploads import ResultUploads
from monitor.clock import Clock
from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.domain.deployment_limit import DeploymentLimit, limited_policy
from monitor.domain.pair_judging import PairProgress
from monitor.domain.policy import Policy
from monitor.domain.run import Run
from monitor.errors import Forbidden
from monitor.feedback.candidates.review import Judge, any_case
from monitor.guards.audit_counts import AuditCounts
from monitor.guards.wrong_port import Ports
from monitor.ingest.http.memory_budget import BodyMemoryBudget
from monitor.ingest.intake import Intake
from monitor.ingest.limits import Limits
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.normalize.unread_counts import UnreadCounts
from monitor.store.access.audit_state import AuditChain
from monitor.store.backup.backups import Backups
from monitor.store.engine.database import Store
from monitor.telemetry import NO_TELEMETRY, Recorder
from replay.errors import ReplayError
from replay.evalsets.sealing import Sealer
from replay.run.forecast import Prices
from replay.scorers.base import Scorer

JudgePairsOf = Callable[[Run, Run, str, int], PairProgress]  # run A, run B, name of the judge, most pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetCosts:
    """The limit of an answer of a target in tokens, and its prices; None if not configured."""

    max_tokens: int | None = None
    prices: Prices | None = None


def _no_rescorer(_run: Run, scorer: str, _overrides: Mapping[str, Any], _rescore_id: str) -> Scorer:
    raise ReplayError(f"scorer {scorer!r} is unknown; known: none")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiContext:
    """The parts of the daemon that routes use."""

    store: Store
    intake: Intake
    normalizer: Normalizer
    policy: Policy
    clock: Clock
    tokens: Tokens
    sealer_of: Callable[[str], Sealer | None]  # by set name; None without a configured key
    wake: Callable[[], None]  # called after a write that a loop must process immediately
    loop_states: Callable[[], Mapping[str, str]]
    ready: Callable[[], str | None]  # the reason why the daemon is not ready, or None
    metrics: Callable[[], bytes]  # all metrics in the Prometheus text format
    code_version: str
    max_body_bytes: int = 16 * 1024 * 1024
    limits: Limits = field(default_factory=Limits)  # of ingested records
    troubles: Callable[[], Sequence[str]] = tuple  # names of stopped or stalled sources
    conditions: Callable[[], Sequence[Condition]] = tuple  # of driftd's own health, as last read
    replaying: Callable[[], Collection[str]] = frozenset  # the sets in a running replay
    cancel_replay: Callable[[str], None] = lambda _: None  # ends the calls of a cancelled run, by run id
    receivers: Mapping[str, Receiver] = field(default_factory=dict)  # of alerts, for test notifications
    # of the services of receivers, by kind and name of the receiver
    callback_secrets: Mapping[tuple[str, str], SecretStr] = field(default_factory=dict)
    reports: Path | None = None  # the folder of report pages
    commit_timeout_s: float = 30.0  # later commits are answered with 503
    turns: KeyedLock = field(default_factory=KeyedLock)
    room: BodyMemoryBudget = field(default_factory=BodyMemoryBudget)
    telemetry: Recorder = NO_TELEMETRY
    scorers_of: Callable[[str], Sequence[Scorer]] = lambda _: ()  # by set name
    # of a rescore: run, scorer, its new options, id
    rescorer_of: Callable[[Run, str, Mapping[str, Any], str], Scorer] = _no_rescorer
    costs_of: Callable[[str], TargetCosts] = lambda _: TargetCosts()  # by deployment
    unjudged: Judge = any_case  # the reason why no scorer can judge a candidate
    judge_pairs: JudgePairsOf | None = None  # compares two runs with a judge
    uploads: ResultUploads | None = None  # of results of other tools, in a process that imports them
    unread: UnreadCounts | None = None  # of the writer, in a process that ingests calls
    ports: Ports = field(default_factory=Ports)  # the other ports, for hints about misdirected requests
    audit: AuditCounts = field(default_factory=AuditCounts)
    audit_chain: AuditChain | None = None  # with the last verification, in a process that alerts about it
    backups: Backups | None = None  # in a process that owns a file
    config_path: Path | None = None  # the configuration file at the start, and the SHA-256 of its text
    config_sha256: str | None = None

    def limited(self, limit: DeploymentLimit | None) -> "ApiContext":
        """Return what a sender with this limit reaches. The store and the intake read the limit themselves."""
        if limit is None:
            return self
        return replace(
            self,
            policy=limited_policy(self.policy, limit),
            conditions=lambda: [one for one in self.conditions() if one.deployment in limit.deployments],
            replaying=lambda: frozenset(self.replaying()) & limit.sets,
            troubles=tuple,
            receivers={},
            metrics=_of_the_whole_daemon,
            unread=None,
            audit_chain=None,
        )


def _of_the_whole_daemon() -> bytes:
    raise Forbidden("these metrics are of all deployments, and this token is limited to some of them")


def _context_of(request: Request) -> ApiContext:
    """Return the parts of the daemon within the limit of the sender, which `needs` has set."""
    return cast("ApiContext", request.app.state.context).limited(CURRENT_LIMIT.get())


Context = Annotated[ApiContext, Depends(_context_of)]
