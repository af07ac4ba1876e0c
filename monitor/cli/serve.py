"""`driftd serve`: the daemon, until it is told to stop."""

import logging
import os
import sys

import typer

from monitor.app import build
from monitor.cli.options import DEFAULT_CONFIG, ConfigPath
from monitor.clock import SystemClock
from monitor.config.load import load


def serve(config: ConfigPath = DEFAULT_CONFIG) -> None:
    """Run the daemon: take telemetry in, watch for changes, replay, compare, alert. SIGTERM stops it without loss."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    for chatty in ("uvicorn", "apscheduler", "httpx"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    app = build(load(config, os.environ), clock=SystemClock())
    raise typer.Exit(app.serve_forever())
