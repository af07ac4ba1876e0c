"""Everything the routes reach, handed over once by app.py."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, cast

from fastapi import Depends, Request

from monitor.api.auth import Tokens
from monitor.api.keyed_lock import KeyedLock
from monitor.clock import Clock
from monitor.domain.policy import Policy
from monitor.feedback.review import Judge, any_case
from monitor.guards.wrong_port import Ports
from monitor.ingest.http.memory_budget import BodyMemoryBudget
from monitor.ingest.intake import Intake
from monitor.ingest.limits import Limits
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.normalize.unread_counts import UnreadCounts
from monitor.store.engine.database import Store
from monitor.telemetry import NO_TELEMETRY, Recorder
from replay.evalsets.sealing import Sealer
from replay.scorers.base import Scorer


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiContext:
    """The parts of the daemon that requests work with."""

    store: Store
    intake: Intake
    normalizer: Normalizer
    policy: Policy
    clock: Clock
    tokens: Tokens
    sealer_of: Callable[[str], Sealer | None]  # by set name; None when no key is configured for it
    wake: Callable[[], None]  # called after a write that a loop should notice at once
    loop_states: Callable[[], Mapping[str, str]]
    ready: Callable[[], str | None]  # why the daemon is not ready, None when it is
    metrics: Callable[[], bytes]  # what monitor/telemetry counts, in Prometheus' text format
    code_version: str
    max_body_bytes: int = 16 * 1024 * 1024
    limits: Limits = field(default_factory=Limits)  # of what is ingested
    troubles: Callable[[], Sequence[str]] = tuple  # names of sources that stopped or stalled while the rest works
    replaying: Callable[[], Collection[str]] = frozenset  # the sets that are being replayed at this moment
    cancel_replay: Callable[[str], None] = lambda _: None  # ends the calls of a run that was cancelled, by its id
    reports: Path | None = None  # the folder of the reports' pages
    commit_timeout_s: float = 30.0  # a batch write not committed by then is answered 503
    turns: KeyedLock = field(default_factory=KeyedLock)
    room: BodyMemoryBudget = field(default_factory=BodyMemoryBudget)
    telemetry: Recorder = NO_TELEMETRY
    scorers_of: Callable[[str], Sequence[Scorer]] = lambda _: ()  # by set name
    unjudged: Judge = any_case  # why the scorers of its deployment's dynamic sets cannot judge a candidate
    unread: UnreadCounts | None = None  # of the writer, in a process that takes calls
    ports: Ports = field(default_factory=Ports)  # where else a request may have been meant to go
    config_path: Path | None = None  # the file the daemon was started with, and the SHA-256 of its text
    config_sha256: str | None = None


def _context_of(request: Request) -> ApiContext:
    return cast("ApiContext", request.app.state.context)


Context = Annotated[ApiContext, Depends(_context_of)]
