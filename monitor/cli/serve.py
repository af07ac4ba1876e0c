"""`driftd serve`: runs the daemon until SIGTERM."""

import gc
import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from monitor.app import build
from monitor.cli.connection.credentials import authorization
from monitor.cli.dashboard.commands import WithoutLogin, settings_of
from monitor.cli.dashboard.login import demand_login_possible, with_login
from monitor.cli.dashboard.process import DEFAULT_HOST, DEFAULT_PORT, DashboardSettings, demand_free
from monitor.cli.dashboard.supervisor import DashboardSupervisor
from monitor.cli.main import GC_THRESHOLDS
from monitor.cli.options import DEFAULT_CONFIG, ConfigPath, Level
from monitor.cli.terminal.logs import LogLevel, log_to_stderr
from monitor.clock import SystemClock
from monitor.config.load import load
from monitor.config.tree import Config
from monitor.daemon import App
from monitor.errors import UsageError
from monitor.roles import Role

WithDashboard = Annotated[bool, typer.Option("--dashboard", help="Serve the dashboard too.")]
PagesPort = Annotated[int, typer.Option("--dashboard-port", min=1, max=65535, help="Port of the dashboard.")]
PagesHost = Annotated[
    str,
    typer.Option("--dashboard-host", help="Address of the dashboard. On others than loopback, readers log in."),
]
PagesToken = Annotated[
    Path | None,
    typer.Option(
        "--dashboard-token-file", help="File with the API token of all readers. Without it, each reader logs in."
    ),
]

ServedRole = Annotated[
    Role,
    typer.Option(
        help="What this process does: all; ingest: receive OTLP and read sources; control: run the loops; work: "
        "replay slices of runs; maintain: maintain the files of the lake; api: serve the API only. Every role serves "
        "the API."
    ),
]


def serve(
    *,
    config: ConfigPath = DEFAULT_CONFIG,
    dashboard: WithDashboard = False,
    dashboard_port: PagesPort = DEFAULT_PORT,
    dashboard_host: PagesHost = DEFAULT_HOST,
    dashboard_token_file: PagesToken = None,
    without_login: WithoutLogin = False,
    role: ServedRole = Role.ALL,
    log_level: Level = LogLevel.INFO,
) -> None:
    """Run the daemon: ingest telemetry, detect changes, replay, compare and alert.

    Several processes can share a lake (store.url). Of those with the role all or control, one at a time runs the loops;
    the others stand by and take over within 15 seconds after its end.

    SIGTERM stops the daemon within 30 seconds and without data loss; a second SIGTERM stops it at once. Exit code: 0
    after a requested stop, 1 when a loop crashed, 2 when the configuration, a port or the database is not usable. With
    --dashboard, the dashboard runs as a child process: it restarts after a crash and stops with the daemon.
    """
    log_to_stderr(log_level)
    settings = load(config, os.environ)
    beside = (
        _ServedDashboard(
            host=dashboard_host, port=dashboard_port, token_file=dashboard_token_file, without_login=without_login
        )
        if dashboard
        else None
    )
    if beside is not None:
        beside.demand_possible(settings)
    if role is not Role.ALL and settings.store.url is None:
        raise UsageError(f"--role {role} needs a store for several processes: set store.url (docs/scale.md)")
    app = build(settings, clock=SystemClock(), role=role)
    _collect_less()
    try:
        with beside.keeper(settings, app) if beside else nullcontext():
            code = app.serve_forever()
        raise typer.Exit(code)
    finally:
        gc.unfreeze()  # without it, DuckDB reports leaks at exit


@dataclass(frozen=True, slots=True, kw_only=True)
class _ServedDashboard:
    """The dashboard that the daemon runs."""

    host: str
    port: int
    token_file: Path | None
    without_login: bool

    def demand_possible(self, settings: Config) -> None:
        """Raise for settings that would prevent every start of the dashboard, so that the daemon does not start with
        them.
        """
        authorization(self.token_file)
        demand_login_possible(self._of(settings))
        demand_free(self.host, self.port, "--dashboard-port")

    def keeper(self, settings: Config, app: App) -> AbstractContextManager[object]:
        def pages() -> DashboardSettings | None:
            if (bound := app.addresses.get("api")) is None:
                return None
            served = settings.model_copy(update={"api": settings.api.model_copy(update={"port": urlsplit(bound).port})})
            return self._of(served)

        return DashboardSupervisor(pages)

    def _of(self, settings: Config) -> DashboardSettings:
        pages = replace(settings_of(settings, self.token_file), host=self.host, port=self.port)
        return with_login(pages, settings.api.oidc, without_login=self.without_login)


def _collect_less() -> None:
    """Run the garbage collector less often. A batch has about ten thousand objects without cycles, which reference
    counts free. Scanning them and all imported modules at the default rate takes a sixth of the decoding time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
