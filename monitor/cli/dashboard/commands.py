"""`driftd dashboard`: serves the dashboard for a running daemon until SIGTERM."""

import os
import signal
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitor.cli.connection.address import address_of, trust_of, valid_address
from monitor.cli.connection.client import answers, over_http
from monitor.cli.connection.credentials import authorization, headers_of
from monitor.cli.connection.identity import demand_own, identify
from monitor.cli.dashboard.process import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    DashboardProcess,
    DashboardSettings,
    demand_free,
    is_loopback,
)
from monitor.cli.options import DEFAULT_CONFIG, ConfigPath, TokenFile, Url
from monitor.cli.terminal.output import note
from monitor.errors import Retryable, UsageError

if TYPE_CHECKING:
    from monitor.config.tree import Config

Port = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the dashboard.")]
Host = Annotated[str, typer.Option("--host", help="Address to listen on. The dashboard has no login.")]
Open = Annotated[bool, typer.Option("--open", help="Open the dashboard in a browser.")]


def dashboard(
    *,
    config: ConfigPath = DEFAULT_CONFIG,
    url: Url = None,
    port: Port = DEFAULT_PORT,
    host: Host = DEFAULT_HOST,
    token_file: TokenFile = None,
    open_: Open = False,
) -> None:
    """Serve the dashboard for a running daemon, until SIGTERM or Ctrl-C.

    The configuration or --url names the daemon. Everyone who can reach the dashboard sees what its token can read: by
    default it listens on loopback only.
    """
    authorization(token_file)  # a file without a token fails the command before the first page
    api_url = _daemon_of(config, token_file) if url is None else valid_address(url)
    demand_free(host, port, "--port")
    warn_when_open(host)
    with_pages(DashboardSettings(api_url=api_url, host=host, port=port, token_file=token_file), opens=open_)


def with_pages(pages: DashboardSettings, *, opens: bool) -> None:
    """Run the dashboard process until a signal. Raises Retryable if it exits without one."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stopped.set())
    process = DashboardProcess(pages)
    try:
        if process.wait_until_ready(stopped):
            note(f"dashboard: {pages.url} (daemon {pages.api_url}); Ctrl-C stops it")
            if opens:
                webbrowser.open(pages.url)
        while not stopped.is_set():
            if (code := process.ended(0.2)) is not None:
                raise Retryable(f"the dashboard exited with code {code}; see its messages above")
    finally:
        process.stop()


def warn_when_open(host: str) -> None:
    if not is_loopback(host):
        note(f"warning: the dashboard has no login; everyone who can reach {host} can read it")


def demand_token(config: "Config", token_file: Path | None, option: str) -> None:
    """Raise UsageError if the daemon requires tokens and the dashboard has none."""
    if config.api.tokens and token_file is None:
        raise UsageError(f"api.tokens is set, so the dashboard needs a token with the role read; set it with {option}")


def _daemon_of(config_path: Path, token_file: Path | None) -> str:
    """Return the address of the configured daemon, which may start later. Raises UsageError for another daemon."""
    from monitor.config.load import load  # slow to import; not needed with --url

    config = load(config_path, os.environ)
    if config.api.port == 0:
        raise UsageError("api.port is 0 and selects a free port at each start; set --url")
    demand_token(config, token_file, "--token-file")
    with over_http(address_of(config), headers_of(token_file, None), trust_of(config, None)) as api:
        if answers(api):
            demand_own(identify(api), config, api.where)
        else:
            note(f"no daemon answers at {api.where} yet; the dashboard shows data when it runs")
        return api.where
