"""`driftd dashboard`: serves the dashboard for a running daemon until SIGTERM."""

import os
import signal
import threading
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitor.cli.connection.address import address_of, trust_of, valid_address
from monitor.cli.connection.client import answers, over_http
from monitor.cli.connection.credentials import authorization, headers_of
from monitor.cli.connection.identity import demand_own, identify
from monitor.cli.dashboard.login import demand_login_possible, page_url_of, provider_of_options, with_login
from monitor.cli.dashboard.process import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    DashboardProcess,
    DashboardSettings,
    demand_free,
)
from monitor.cli.options import DEFAULT_CONFIG, CaFile, ConfigPath, TokenFile, Url
from monitor.cli.terminal.output import note
from monitor.errors import Retryable, UsageError
from monitor.tls.certificates import CertificateFiles, load_certificate
from monitor.tls.trust import Trust
from monitor.tls_parts import DASHBOARD, certificate_files

if TYPE_CHECKING:
    from monitor.config.oidc import OidcConfig
    from monitor.config.tree import Config

Port = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the dashboard.")]
Host = Annotated[str, typer.Option("--host", help="Address to listen on. On others than loopback, readers log in.")]
CertFile = Annotated[
    Path | None,
    typer.Option("--cert-file", help="Certificate of the dashboard, PEM. The default is that of the configuration."),
]
KeyFile = Annotated[Path | None, typer.Option("--key-file", help="Private key of --cert-file, PEM.")]
AllowedHosts = Annotated[
    list[str] | None,
    typer.Option("--allowed-host", help="Name by which a browser or a proxy calls the dashboard; repeatable."),
]
WithoutLogin = Annotated[
    bool,
    typer.Option(
        "--without-login", help="All readers have the roles of --token-file, on any address. For a proxy with a login."
    ),
]
PublicUrl = Annotated[
    str | None, typer.Option("--public-url", help="Address of the dashboard in browsers. The login returns to it.")
]
Issuer = Annotated[str | None, typer.Option("--oidc-issuer", help="OpenID Connect provider of the login, with --url.")]
ClientId = Annotated[str | None, typer.Option("--oidc-client-id", help="Id of driftd at the provider.")]
ClientSecret = Annotated[Path | None, typer.Option("--oidc-client-secret-file", help="File with the client's secret.")]
Scopes = Annotated[list[str] | None, typer.Option("--oidc-scope", help="Scope of the login; repeatable.")]
Open = Annotated[bool, typer.Option("--open", help="Open the dashboard in a browser.")]


def dashboard(
    *,
    config: ConfigPath = DEFAULT_CONFIG,
    url: Url = None,
    port: Port = DEFAULT_PORT,
    host: Host = DEFAULT_HOST,
    token_file: TokenFile = None,
    ca_file: CaFile = None,
    cert_file: CertFile = None,
    key_file: KeyFile = None,
    allowed_host: AllowedHosts = None,
    without_login: WithoutLogin = False,
    public_url: PublicUrl = None,
    oidc_issuer: Issuer = None,
    oidc_client_id: ClientId = None,
    oidc_client_secret_file: ClientSecret = None,
    oidc_scope: Scopes = None,
    open_: Open = False,
) -> None:
    """Serve the dashboard for a running daemon, until SIGTERM or Ctrl-C.

    The configuration or --url names the daemon. Readers log in with the provider of api.oidc, or with an API token. On
    loopback, --token-file gives all readers the roles of its token, and a daemon without tokens needs no login.
    """
    authorization(token_file)  # a file without a token fails the command before the first page
    if url is None:
        pages, oidc = _pages_of(config, token_file, ca_file)
    else:
        pages = DashboardSettings(api_url=valid_address(url), token_file=token_file, trust=Trust(ca_file=ca_file))
        oidc = None
    pages = replace(pages, host=host, port=port)
    if cert_file is not None or key_file is not None:
        pages = replace(pages, tls=_pair(cert_file, key_file))
    if allowed_host:
        pages = replace(pages, allowed_hosts=allowed_host)
    if pages.tls is not None:
        load_certificate(pages.tls)  # unusable files fail the command before the first page
    pages = replace(pages, page_url=public_url or pages.page_url)
    provider = provider_of_options(
        oidc_issuer, oidc_client_id, oidc_client_secret_file, oidc_scope, pages.page_url or pages.url
    )
    pages = with_login(replace(pages, provider=provider), oidc, without_login=without_login)
    demand_login_possible(pages)
    demand_free(host, port, "--port")
    with_pages(pages, opens=open_)


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


def _pair(cert_file: Path | None, key_file: Path | None) -> CertificateFiles:
    if cert_file is None or key_file is None:
        raise UsageError("--cert-file and --key-file belong together; give both")
    return CertificateFiles(cert_file=cert_file, key_file=key_file)


def settings_of(config: "Config", token_file: Path | None, ca_file: Path | None = None) -> DashboardSettings:
    """Return the settings of a dashboard for the daemon of a configuration."""
    return DashboardSettings(
        api_url=address_of(config),
        token_file=token_file,
        page_url=page_url_of(config),
        trust=trust_of(config, ca_file),
        tls=certificate_files(config, DASHBOARD),
        hsts_s=config.tls.hsts_s,
        max_connections=config.connections.max_per_listener,
        allowed_hosts=config.connections.allowed_hosts,
        allowed_origins=config.connections.allowed_origins,
    )


def _pages_of(
    config_path: Path, token_file: Path | None, ca_file: Path | None
) -> "tuple[DashboardSettings, OidcConfig | None]":
    """Return the settings for the configured daemon, which may start later, and the provider of its users. Raises
    UsageError for another daemon.
    """
    from monitor.config.load import load  # slow to import; not needed with --url

    config = load(config_path, os.environ)
    if config.api.port == 0:
        raise UsageError("api.port is 0 and selects a free port at each start; set --url")
    pages = settings_of(config, token_file, ca_file)
    with over_http(pages.api_url, headers_of(token_file, None), pages.trust) as api:
        if answers(api):
            demand_own(identify(api), config, api.where)
        else:
            note(f"no daemon answers at {api.where} yet; the dashboard shows data when it runs")
    return pages, config.api.oidc
