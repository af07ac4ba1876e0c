"""Start and stop the parts of the daemon.

The parts are the servers, the sources, the writer, the loops and the store. They start in the order of their
dependencies and stop in the order in which data flows. app.py creates them.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from monitor.config.resources import resources
from monitor.config.tree import Config
from monitor.ingest.intake import Intake
from monitor.ingest.normalize.known_runs import KnownRuns
from monitor.ingest.sources import Sources
from monitor.ingest.writer import Writer
from monitor.jobs.judging.rescore_loop import RescoreLoop
from monitor.jobs.judging.sentinel_loop import SentinelLoop
from monitor.jobs.maintenance.audit_loop import AuditLoop
from monitor.jobs.maintenance.backup_loop import BackupLoop
from monitor.jobs.maintenance.failure_group_loop import FailureGroupLoop
from monitor.jobs.maintenance.fold_loop import FoldLoop
from monitor.jobs.maintenance.noise_loop import NoiseLoop
from monitor.jobs.maintenance.refusal_loop import RefusalLoop
from monitor.jobs.maintenance.retention_loop import RetentionLoop
from monitor.jobs.maintenance.rollup_loop import RollupLoop
from monitor.jobs.maintenance.set_health_loop import SetHealthLoop
from monitor.jobs.maintenance.settle_loop import SettleLoop
from monitor.jobs.maintenance.waiting_spans_loop import WaitingSpansLoop
from monitor.jobs.replay.on_change_loop import ChangeReplayLoop
from monitor.jobs.replay.run_queue import RunQueue
from monitor.jobs.replay.schedule_loop import ScheduleLoop
from monitor.jobs.reproduce.loop import ReproductionLoop
from monitor.jobs.results.import_loop import ResultImportLoop
from monitor.jobs.traffic_reports.loop import TrafficReportLoop
from monitor.leadership import Leadership
from monitor.roles import Role
from monitor.store.backup.backups import Backups
from monitor.store.engine.database import Store
from monitor.supervisor import Supervisor
from monitor.telemetry import Instruments
from monitor.tls.certificate_set import Certificates

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from monitor.ingest.otlp.grpc import OtlpServices
    from monitor.servers import ConnectionLimits

log = logging.getLogger(__name__)
SCHEDULE_INTERVAL_S = 1.0
RELOAD_S = 5.0  # a certificate is read again; a renewal is due days before the old one expires
STOP_S = 20.0  # for servers, writer and loops together; orchestrators kill a process after 30
LAKE_LOOP = ("lake",)  # LakeLoop, whose imports a process with a file does not need
JUDGING = (SentinelLoop.name, RescoreLoop.name)
PLANNING = (ScheduleLoop.name, ChangeReplayLoop.name)
MAINTENANCE = (
    RetentionLoop.name,
    TrafficReportLoop.name,
    FoldLoop.name,
    WaitingSpansLoop.name,
    RefusalLoop.name,
    SettleLoop.name,
    RollupLoop.name,
    SetHealthLoop.name,
    NoiseLoop.name,
    FailureGroupLoop.name,
    ResultImportLoop.name,
    AuditLoop.name,
    BackupLoop.name,
    *LAKE_LOOP,
)
_SERVES = {"api": "the API", "ingest.otlp": "OTLP", "ingest.otlp_grpc": "OTLP over gRPC"}  # by key of a listener
LONG_READ_S = 1.0  # a stop interrupts queries that take longer


class App:
    """The parts of the daemon. `api` is an ASGI application. `make_otlp` creates the OTLP receivers, and `guard`
    adds the checks of a port to an application: only a server needs them.
    """

    def __init__(
        self,
        *,
        config: Config,
        store: Store,
        intake: Intake,
        writer: Writer,
        supervisor: Supervisor,
        sources: Sources,
        replays: RunQueue,
        loops: Sequence[str],
        retention: RetentionLoop,
        backups: Backups | None,
        traffic_reports: TrafficReportLoop,
        echo: KnownRuns,
        certificates: Certificates,
        telemetry: Instruments,
        teardown: ExitStack,
        stop_s: float,
        role: Role = Role.ALL,
        leadership: Leadership,
    ) -> None:
        self.store, self.intake, self.supervisor = store, intake, supervisor
        self.retention, self.backups, self.sources = retention, backups, sources
        self.addresses: dict[str, str] = {}
        self.api: ASGIApp
        self.guard: Callable[[ASGIApp], ASGIApp]
        self.make_otlp: Callable[[], tuple[ASGIApp, OtlpServices]]
        self._config, self._writer, self._replays, self._echo = config, writer, replays, echo
        self._replay_loops = loops  # names of the replay loops
        self._traffic_reports, self._certificates = traffic_reports, certificates
        self._telemetry, self._teardown, self._stop_s = telemetry, teardown, stop_s
        self._role, self._leadership = role, leadership
        self._stop_by: float | None = None  # monotonic seconds, set by the first `stop`
        self._stopping = threading.Event()
        self._writing = threading.Thread(target=writer.run, args=(self._stopping,), name="driftd-writer", daemon=True)

    def start(self) -> None:
        """Start all parts and serve requests. The sockets are bound first, so that a port in use prevents the start of
        every other part.
        """
        from apscheduler.schedulers.background import BackgroundScheduler  # a command does not need these imports

        from monitor.servers import GrpcListener, HttpListener, Servers
        from monitor.store.engine.statements import load_all

        # Read all SQL files now: later the process may have no free file descriptor.
        load_all()
        log.info("limits: %s", resources(self._config))
        limits, certificates = _connection_limits(self._config), self._certificates
        certificates.load()

        config, over_http, over_grpc = self._config, self._config.ingest.otlp, self._config.ingest.otlp_grpc
        sites = [
            HttpListener(
                key="api",
                app=self.guard(self.api),
                host=config.api.host,
                port=config.api.port,
                certificate=certificates.of("api"),
            )
        ]
        grpc_sites: list[GrpcListener] = []
        if self._role.ingests:
            otlp, otlp_grpc = self.make_otlp()
            sites.append(
                HttpListener(
                    key="ingest.otlp",
                    app=self.guard(otlp),
                    host=over_http.host,
                    port=over_http.port,
                    certificate=certificates.of("ingest.otlp"),
                )
            )
            grpc_sites.append(
                GrpcListener(
                    key="ingest.otlp_grpc",
                    services=otlp_grpc,
                    host=over_grpc.host,
                    port=over_grpc.port,
                    max_message_bytes=config.ingest.limits.wire_mb * 1024 * 1024,
                    certificate=certificates.of("ingest.otlp_grpc"),
                )
            )
        servers = Servers(sites, grpc_sites, limits=limits, telemetry=self._telemetry)
        self.addresses = servers.addresses
        self._teardown.callback(self.sources.close)
        self.start_local(maintenance=True)
        if self._role.ingests:
            self.sources.start()
            self._teardown.callback(self._stop_sources)
        scheduler = BackgroundScheduler(timezone="UTC")
        scheduler.add_job(self.wake_schedule, "interval", seconds=SCHEDULE_INTERVAL_S, coalesce=True, max_instances=1)
        scheduler.add_job(certificates.refresh, "interval", seconds=RELOAD_S, coalesce=True, max_instances=1)
        scheduler.start()
        self._teardown.callback(scheduler.shutdown, wait=False)
        servers.start()
        self._teardown.callback(servers.stop)
        log.info("driftd serves %s", ", ".join(f"{_SERVES[key]} on {url}" for key, url in self.addresses.items()))

    def start_local(self, *, replays: bool = True, maintenance: bool = False) -> None:
        """Start the writer and the loops without a socket, for a command that runs while no daemon does.

        Without `replays` no replay is planned or executed and no judge is asked: a command that stores rows causes no
        cost. Without `maintenance` no row expires, no traffic report is created, no candidate is reproduced and no
        uploaded file is imported.
        """
        replaying = () if replays else (*PLANNING, *JUDGING, *self._replay_loops)
        if self._role.leads or self._role.maintains:
            self._leadership.start()
            self._teardown.callback(self._leadership.stop)
        self.supervisor.start(
            except_for=(*replaying, *(() if maintenance else (*MAINTENANCE, ReproductionLoop.name))),
            only=None if self._role.leads else LAKE_LOOP if self._role.maintains else (),
        )
        self._teardown.callback(self._stop_loops)
        self._writing.start()
        self._teardown.callback(self._stop_writing)

    def stop(self) -> None:
        """Stop all parts in the reverse order of their start, within `stop_s` seconds plus the time to close the store.

        Acknowledged rows are on disk already. Calls to a model that are in flight may end, and their answers are
        stored. The next start repeats the calls without an answer. It is safe to call this method twice.
        """
        self._stop_by = self._stop_by or monotonic() + self._stop_s
        self.store.abandon_compaction()  # the next start repeats it
        self._traffic_reports.stopping.set()  # ends its process; the next start creates the report
        self._replays.stopping.set()  # first, so that calls in flight end while the servers drain
        with self._interrupting():
            self._teardown.close()

    @contextmanager
    def _interrupting(self) -> Iterator[None]:
        """Interrupt long queries of requests and loops while the block runs. The next start repeats them."""
        done = threading.Event()

        def interrupt() -> None:
            while not done.wait(LONG_READ_S / 2):
                self.store.interrupt_reads(LONG_READ_S)

        thread = threading.Thread(target=interrupt, name="driftd-interrupt", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def wake(self) -> None:
        """Wake the loops after a write that they must process immediately."""
        self._echo.refresh()
        self.supervisor.wake()

    def wake_schedule(self) -> None:
        self.supervisor.wake_one(ScheduleLoop.name)

    def settle(self, timeout_s: float) -> None:
        """Wait until the intake is empty and no loop has work left. Raise TimeoutError after `timeout_s` seconds."""
        if not self.intake.wait_until_empty(timeout_s):
            raise TimeoutError(f"{self.intake.rows} rows are still in the intake")
        self.supervisor.settle(timeout_s)

    def serve_forever(self) -> int:
        """Run until SIGTERM or SIGINT (return 0) or until a loop crashes (return 1). A second signal exits immediately
        (1).
        """
        stop_requested = stop_signals()
        try:
            self.start()
            while not stop_requested.wait(0.5) and not self._crashed():
                pass
            log.info("driftd stops its sources, writer, loops and store")
        finally:
            self.stop()
        return 1 if self._crashed() else 0

    def not_ready(self) -> str | None:
        """Return the reason why the daemon cannot work now; None when it can."""
        down = [f"{name} {state}" for name, state in self.states().items() if state.startswith("crashed")]
        if down:
            return f"a loop has crashed: {', '.join(down)}"
        state = self._writer.state
        return f"the writer cannot store rows: {state}" if state.startswith("retrying") else None

    def states(self) -> dict[str, str]:
        """Return the state of the sources, the writer and every loop as texts, by name."""
        return {**self.sources.states(), self._writer.name: self._writer.state, **self.supervisor.states()}

    def _crashed(self) -> bool:
        return self.supervisor.crashed.is_set() or self.sources.crashed

    def _stop_sources(self) -> None:
        late = self.sources.stop(self._left_s())
        if late:
            log.warning("these sources did not stop in time: %s", ", ".join(late))

    def _stop_loops(self) -> None:
        late = self.supervisor.stop(self._left_s())
        if late:
            log.warning("these loops did not stop within %.0f s: %s", self._stop_s, ", ".join(late))

    def _stop_writing(self) -> None:
        self._stopping.set()
        self.intake.close()
        self._writing.join(self._left_s())

    def _left_s(self) -> float:
        """Return the seconds that are left to stop in."""
        return self._stop_s if self._stop_by is None else max(0.0, self._stop_by - monotonic())


def _connection_limits(config: Config) -> "ConnectionLimits":
    """Raise the limit of open files, divide it among the listeners, and log both numbers."""
    from monitor.servers import ConnectionLimits
    from monitor.servers.descriptors import connections_for, raise_limit

    section, files = config.connections, raise_limit()
    connections = connections_for(files.soft, section.max_per_listener)
    message = "limit of open files: %d (hard limit %d); each listener accepts up to %d connections"
    log.info(message, files.soft, files.hard, connections)
    if connections < section.max_per_listener:
        log.warning(
            "connections.max_per_listener: %d, but the limit of open files allows %d; raise it: ulimit -n, LimitNOFILE",
            section.max_per_listener,
            connections,
        )
    return ConnectionLimits(
        connections=connections,
        header_s=section.header_timeout_s,
        idle_s=section.idle_timeout_s,
        body_s=section.body_timeout_s,
    )


def stop_signals() -> threading.Event:
    """Return an event that SIGTERM and SIGINT set. A second signal exits immediately."""
    stop_requested = threading.Event()

    def request_stop(_number: int, _frame: object) -> None:
        if stop_requested.is_set():
            _exit_now()
        stop_requested.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, request_stop)
    return stop_requested


def _exit_now() -> None:
    """Exit after a second signal. As after a kill, acknowledged rows are on disk and the next start continues from
    them.
    """
    os.write(sys.stderr.fileno(), b"driftd received a second signal and exits immediately\n")
    os._exit(1)
