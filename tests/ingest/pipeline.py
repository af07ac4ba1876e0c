"""A real intake, writer, store and OTLP server on a free loopback port, with helpers to read their data."""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from starlette.types import ASGIApp

from monitor.clock import SystemClock
from monitor.domain.interaction import Interaction
from monitor.domain.redaction import Action, Kind
from monitor.guards.failed_logins import Caller
from monitor.ingest.compat.endpoint import CompatEndpoint
from monitor.ingest.compat.table import routes
from monitor.ingest.files.base import BEGINNING, FileFormat
from monitor.ingest.files.detect import open_records
from monitor.ingest.files.reader import PieceReader, Refused
from monitor.ingest.intake import Counts, Intake
from monitor.ingest.limits import Limits
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.normalize.replay_echo import EchoFilter
from monitor.ingest.otlp.grpc import OtlpServices
from monitor.ingest.otlp.http import build_app
from monitor.ingest.otlp.receiver import Authorize, Receiver
from monitor.ingest.redact.redactor import Redactor
from monitor.ingest.redact.rules import Rules, RulesByDeployment
from monitor.ingest.writer import Writer
from monitor.jobs.linking.join import JoinStep
from monitor.servers import GrpcListener, Servers
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import dead_letters, interactions
from monitor.store.traffic.dead_letters import DeadLetter
from tests.asgi_server import serving

DEFAULTS = Limits()
# For tests that are not about redaction.
NOTHING_REDACTED: Final = Redactor(
    RulesByDeployment(default=Rules(actions=dict.fromkeys(Kind, Action.KEEP), hash_users=False, drop_attributes=())),
    b"",
)
RULES = DeploymentRules(by_service={"support-bot": "support"}, default_deployment="fallback")


def anybody(_headers: Mapping[str, str], _caller: Caller) -> None:
    """Accept every request, as a configuration without tokens does."""


def no_run(_trace_id: str) -> str | None:
    return None


def nothing_sealed(_text: str) -> bool:
    return False


def normalizer(
    *,
    rules: DeploymentRules = RULES,
    known_run: Callable[[str], str | None] = no_run,
    sealed: Callable[[str], bool] = nothing_sealed,
    redactor: Redactor = NOTHING_REDACTED,
) -> Normalizer:
    echo = EchoFilter(known_run=known_run, sealed=sealed)
    return Normalizer(rules=rules, identify=model_of, echo=echo, redactor=redactor)


def model_of(_deployment: str, item: Interaction) -> str | None:
    """Replace monitor/changes by a simple identity."""
    return item.response_model


@dataclass
class IngestPipeline:
    store: FileStore
    intake: Intake
    writer: Writer
    normalizer: Normalizer
    clock: SystemClock = field(default_factory=SystemClock)

    def rows(self) -> list[Interaction]:
        """Return every interaction, the newest first."""
        with self.store.read() as tx:
            return interactions.page(tx, PageQuery(limit=500)).items

    def letters(self) -> list[DeadLetter]:
        with self.store.read() as tx:
            return dead_letters.page(tx, PageQuery(limit=500)).items

    def join(self) -> int:
        return JoinStep(self.store, self.clock, lambda item: model_of(item.deployment, item)).step()

    def everything_on_disk(self) -> bytes:
        """Return the bytes of the database file and its log. DuckDB does not compress short texts, so private values
        are visible in them.
        """
        return b"".join(p.read_bytes() for p in self.store.path.parent.glob(self.store.path.name + "*"))


@contextmanager
def ingest_pipeline(
    folder: Path, *, max_rows: int = 20_000, with_normalizer: Normalizer | None = None
) -> Iterator[IngestPipeline]:
    """Run a store, an intake and a writer."""
    clock = SystemClock()
    store = Store.open(folder / "driftd.duckdb", clock=clock)
    intake = Intake(max_rows)
    writer = Writer(store, intake, clock, max_delay_s=0.0)
    stop = threading.Event()
    with ThreadPoolExecutor(1, thread_name_prefix="writer") as pool:
        running = pool.submit(writer.run, stop)
        try:
            yield IngestPipeline(store=store, intake=intake, writer=writer, normalizer=with_normalizer or normalizer())
        finally:
            stop.set()
            intake.close()
            running.result(timeout=30)
            store.close()


def receiver(pipeline: IngestPipeline, **options: Any) -> Receiver:
    """Return a receiver without authorization and with the default limits."""
    return receiving(pipeline.intake, pipeline.normalizer, **options)


def receiving(intake: Intake, with_normalizer: Normalizer | None = None, **options: Any) -> Receiver:
    arguments: dict[str, Any] = {"authorize": anybody, "limits": Limits()} | options
    return Receiver(intake, with_normalizer or normalizer(), SystemClock(), **arguments)


def otlp_app(pipeline: IngestPipeline, **options: Any) -> ASGIApp:
    return build_app(receiver(pipeline, **options))


def compat_app(pipeline: IngestPipeline, *, may_read: Authorize = anybody, **options: Any) -> ASGIApp:
    """Return an app with OTLP and the endpoints of other products."""
    otlp_receiver = receiver(pipeline, **options)
    compat = CompatEndpoint(
        otlp_receiver, pipeline.intake, pipeline.normalizer, pipeline.clock, store=pipeline.store, may_read=may_read
    )
    return build_app(otlp_receiver, routes=routes(compat))


def ingest_file(
    pipeline: IngestPipeline, path: Path, forced: FileFormat | None = None, *, limits: Limits = DEFAULTS
) -> tuple[Counts, list[Refused]]:
    """Ingest a file in one piece, and return the counts after the commit and the rejected records."""
    reading = open_records(path, forced, max_bytes=limits.plain_bytes)
    what = f"{path.name} {reading.unit}"
    reader = PieceReader(
        normalizer=pipeline.normalizer, limits=limits, now=pipeline.clock.now(), what=what, format=forced
    )
    for record in reading.records(BEGINNING):
        reader.add(record.end.number, record.raw)
    reading.close()
    return pipeline.intake.submit(reader.batch()).wait(30), reader.refused


@contextmanager
def served_grpc(otlp_receiver: Receiver, *, max_message_bytes: int = 16 << 20) -> Iterator[str]:
    """Run the services on a real gRPC server, and yield its address `127.0.0.1:PORT`."""
    site = GrpcListener(
        key="grpc", services=OtlpServices(otlp_receiver), host="127.0.0.1", port=0, max_message_bytes=max_message_bytes
    )
    servers = Servers([], [site])
    servers.start()
    try:
        yield servers.addresses["grpc"].removeprefix("http://")
    finally:
        servers.stop()


@contextmanager
def served(app: ASGIApp) -> Iterator[httpx.Client]:
    """Yield a client of the app behind a real server."""
    with serving(app) as url, httpx.Client(base_url=url, timeout=30) as client:
        yield client
