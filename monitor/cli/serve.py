"""`driftd serve`: the daemon, until it is told to stop."""

import os
from typing import Annotated

import typer

from monitor.app import build
from monitor.cli.logs import LogLevel, log_to_stderr
from monitor.cli.options import DEFAULT_CONFIG, ConfigPath
from monitor.clock import SystemClock
from monitor.config.load import load

Level = Annotated[LogLevel, typer.Option("--log-level", help="The least severe records to log, on standard error.")]


def serve(config: ConfigPath = DEFAULT_CONFIG, log_level: Level = LogLevel.INFO) -> None:
    """Run the daemon: take telemetry in, watch for changes, replay, compare, alert.

    SIGTERM stops it within half a minute and without loss; a second one at once. It leaves with 0 when it was told to
    stop, 1 when a loop crashed, 2 when the configuration, a port or the file cannot be had.
    """
    log_to_stderr(log_level)
    app = build(load(config, os.environ), clock=SystemClock())
    raise typer.Exit(app.serve_forever())
