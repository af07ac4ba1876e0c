"""The daemon in motion: its parts start in order of dependence and stop in the order of the data.

Servers, sources, writer, loops, store: app.py puts the parts together, this file runs them.
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

from monitor.config.tree import Config
from monitor.ingest.intake import Intake
from monitor.ingest.normalize.known_runs import KnownRuns
from monitor.ingest.sources import Sources
from monitor.ingest.writer import Writer
from monitor.jobs.maintenance.refusal_loop import RefusalLoop
from monitor.jobs.maintenance.retention_loop import RetentionLoop
from monitor.jobs.replay.lanes import ReplayLanes
from monitor.jobs.replay.on_change_loop import ChangeReplayLoop
from monitor.jobs.replay.schedule_loop import ScheduleLoop
from monitor.jobs.traffic_reports.loop import TrafficReportLoop
from monitor.store.engine.database import Store
from monitor.supervisor import Supervisor
from monitor.telemetry import Instruments

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from monitor.ingest.otlp.grpc import OtlpServices
    from monitor.servers import ConnectionLimits

log = logging.getLogger(__name__)
SCHEDULE_EVERY_S = 1.0
STOP_S = 20.0  # servers, writer and loops together; orchestrators kill after 30
PLANNING = (ScheduleLoop.name, ChangeReplayLoop.name)
TIDYING = (RetentionLoop.name, TrafficReportLoop.name, RefusalLoop.name)
LONG_READ_S = 1.0  # a stop waits so long for a query; a longer one is interrupted


class App:
    """The daemon's parts, put together. `api` is an ASGI application; what receives OTLP is made for a server alone."""

    def __init__(
        self,
        *,
        config: Config,
        store: Store,
        intake: Intake,
        writer: Writer,
        supervisor: Supervisor,
        sources: Sources,
        replays: ReplayLanes,
        lanes: Sequence[str],
        retention: RetentionLoop,
        traffic_reports: TrafficReportLoop,
        echo: KnownRuns,
        telemetry: Instruments,
        teardown: ExitStack,
        stop_s: float,
    ) -> None:
        self.store, self.intake, self.supervisor = store, intake, supervisor
        self.retention, self.sources = retention, sources
        self.addresses: dict[str, str] = {}
        self.api: ASGIApp
        self.make_otlp: Callable[[], tuple[ASGIApp, OtlpServices]]
        self._config, self._writer, self._replays, self._echo = config, writer, replays, echo
        self._lanes = lanes  # names of the loops that replay
        self._traffic_reports = traffic_reports
        self._telemetry, self._teardown, self._stop_s = telemetry, teardown, stop_s
        self._stop_by: float | None = None  # monotonic seconds, known from the first `stop` on
        self._stopping = threading.Event()
        self._writing = threading.Thread(target=writer.run, args=(self._stopping,), name="driftd-writer", daemon=True)

    def start(self) -> None:
        """Serve: bind the sockets first, so that a port in use stops the start before anything runs."""
        from apscheduler.schedulers.background import BackgroundScheduler  # a command begins without these

        from monitor.servers import GrpcListener, HttpListener, Servers
        from monitor.store.engine.statements import load_all

        load_all()  # a full table of descriptors must not stop a loop at its first use of a statement
        limits = _connection_limits(self._config)

        otlp, otlp_grpc = self.make_otlp()
        config, over_http, over_grpc = self._config, self._config.ingest.otlp, self._config.ingest.otlp_grpc
        servers = Servers(
            [
                HttpListener(key="api", app=self.api, host=config.api.host, port=config.api.port),
                HttpListener(key="ingest.otlp", app=otlp, host=over_http.host, port=over_http.port),
            ],
            [
                GrpcListener(
                    key="ingest.otlp_grpc",
                    services=otlp_grpc,
                    host=over_grpc.host,
                    port=over_grpc.port,
                    max_message_bytes=config.ingest.limits.wire_mb * 1024 * 1024,
                )
            ],
            limits=limits,
            telemetry=self._telemetry,
        )
        self.addresses = servers.addresses
        self._teardown.callback(self.sources.close)
        self.start_local(tidying=True)
        self.sources.start()
        self._teardown.callback(self._stop_sources)
        scheduler = BackgroundScheduler(timezone="UTC")
        scheduler.add_job(self.wake_schedule, "interval", seconds=SCHEDULE_EVERY_S, coalesce=True, max_instances=1)
        scheduler.start()
        self._teardown.callback(scheduler.shutdown, wait=False)
        servers.start()
        self._teardown.callback(servers.stop)
        log.info("driftd serves the API on %s, OTLP on %s and over gRPC on %s", *self.addresses.values())

    def start_local(self, *, replays: bool = True, tidying: bool = False) -> None:
        """The writer and the loops without any socket: what a command does when no daemon runs.

        Without `replays` nothing is planned or asked: a command that stores something costs no money. Without
        `tidying` nothing is removed by its age, and no traffic report is made.
        """
        replaying = () if replays else (*PLANNING, *self._lanes)
        self.supervisor.start(but=(*replaying, *(() if tidying else TIDYING)))
        self._teardown.callback(self._stop_loops)
        self._writing.start()
        self._teardown.callback(self._stop_writing)

    def stop(self) -> None:
        """Take everything down, last in first out: within `stop_s`, and what the store's close takes.

        What was acknowledged is on disk already. Calls to a model that are in flight may end and be stored; what is
        not answered in time is asked again by the next start. May be called twice.
        """
        self._stop_by = self._stop_by or monotonic() + self._stop_s
        self.store.abandon_compaction()  # the next start does it anew
        self._traffic_reports.stopping.set()  # its process is ended; the next start makes the traffic report
        self._replays.stopping.set()  # at once, so that calls in flight end while the servers drain
        with self._interrupting():
            self._teardown.close()

    @contextmanager
    def _interrupting(self) -> Iterator[None]:
        """Interrupt long queries of requests and loops: the next start reads again, and a stop does not wait."""
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
        """Something was written that loops should see at once."""
        self._echo.refresh()
        self.supervisor.wake()

    def wake_schedule(self) -> None:
        self.supervisor.wake_one(ScheduleLoop.name)

    def settle(self, timeout_s: float) -> None:
        """Return when the intake is empty and no loop has anything left to do; TimeoutError otherwise."""
        if not self.intake.wait_until_empty(timeout_s):
            raise TimeoutError(f"the intake still holds {self.intake.rows} rows")
        self.supervisor.settle(timeout_s)

    def serve_forever(self) -> int:
        """Run until SIGTERM or SIGINT (0), or until a loop crashed (1). A second signal leaves at once (1)."""
        asked = threading.Event()

        def ask(_number: int, _frame: object) -> None:
            if asked.is_set():
                _leave_at_once()
            asked.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, ask)
        try:
            self.start()
            while not asked.wait(0.5) and not self._crashed():
                pass
            log.info("driftd stops: sources, writer, loops, store")
        finally:
            self.stop()
        return 1 if self._crashed() else 0

    def not_ready(self) -> str | None:
        """Why the daemon cannot do its work now."""
        down = [f"{name} {state}" for name, state in self.states().items() if state.startswith("crashed")]
        if down:
            return f"a loop is down: {', '.join(down)}"
        state = self._writer.state
        return f"nothing can be stored, {state}" if state.startswith("retrying") else None

    def states(self) -> dict[str, str]:
        """The sources, the writer and every loop, each in words."""
        return {**self.sources.states(), self._writer.name: self._writer.state, **self.supervisor.states()}

    def _crashed(self) -> bool:
        return self.supervisor.crashed.is_set() or self.sources.crashed

    def _stop_sources(self) -> None:
        late = self.sources.stop(self._left_s())
        if late:
            log.warning("sources still at work, given up: %s", ", ".join(late))

    def _stop_loops(self) -> None:
        late = self.supervisor.stop(self._left_s())
        if late:
            log.warning("loops still at work after %.0f s, given up: %s", self._stop_s, ", ".join(late))

    def _stop_writing(self) -> None:
        self._stopping.set()
        self.intake.close()
        self._writing.join(self._left_s())

    def _left_s(self) -> float:
        """Of the time to stop in."""
        return self._stop_s if self._stop_by is None else max(0.0, self._stop_by - monotonic())


def _connection_limits(config: Config) -> "ConnectionLimits":
    """Raise the limit of open files, share it among the listeners, and log both."""
    from monitor.servers import ConnectionLimits
    from monitor.servers.descriptors import connections_for, raise_limit

    section, files = config.connections, raise_limit()
    connections = connections_for(files.soft, section.max_per_listener)
    said = "limit of open files: %d (hard limit %d); each listener keeps up to %d connections"
    log.info(said, files.soft, files.hard, connections)
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


def _leave_at_once() -> None:
    """Told twice: as after a kill, what was acknowledged is on disk, and the next start goes on from there."""
    os.write(sys.stderr.fileno(), b"driftd was told to stop twice and leaves at once\n")
    os._exit(1)
