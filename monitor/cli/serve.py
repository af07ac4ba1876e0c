"""`driftd serve`: the daemon, until it is told to stop."""

import gc
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
    _collect_less()
    try:
        raise typer.Exit(app.serve_forever())
    finally:
        gc.unfreeze()  # or DuckDB counts at the end what was never looked through, as leaks


def _collect_less() -> None:
    """A batch is some ten thousand objects without cycles: looking through them, and through all that was imported, at
    Python's own pace takes a sixth of the decoding. Reference counts free them; cycles wait a little longer.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
