"""Runs the pages for a driftd command: `python -m dashboards.server --host HOST --port PORT [-- PAGE ARGUMENTS]`.

Standard input is a pipe from the parent. The operating system closes it when the parent ends, even by SIGKILL. This
process then ends too, so no page server outlives its daemon.
"""

import argparse
import importlib
import ipaddress
import json
import logging
import os
import pkgutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

GRACE_S = 5.0
PAGE = Path(__file__).with_name("app.py")
PARTS = ("charts", "panels", "requests")  # what the pages import


def main() -> None:
    given = arguments(sys.argv[1:])
    login = _from_parent() if given.login_on_stdin else {}
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    logging.basicConfig(format="%(message)s")
    logging.getLogger("monitor").setLevel(logging.INFO)
    sys.argv = [str(PAGE), *given.page_arguments]

    from streamlit import config, net_util
    from streamlit.runtime.runtime_util import get_max_message_size_bytes
    from streamlit.starlette import App
    from streamlit.web.bootstrap import load_config_options

    from dashboards.charts.draw import disable_validation
    from dashboards.login.provider import Provider
    from dashboards.trust import trust
    from monitor.clock import SystemClock
    from monitor.servers.pages import KEY, serve_pages
    from monitor.tls.certificates import CertificateFiles, ServedCertificate
    from monitor.tls.trust import Trust

    # A foreign Origin makes Streamlit ask a public service for this machine's address.
    net_util.get_external_ip = lambda: None
    config._main_script_path = str(PAGE)  # noqa: SLF001 - `streamlit run` sets it: .streamlit is in the folder of the page
    load_config_options(options(given))
    disable_validation()
    trust(Trust(ca_file=given.ca_file, server_name=given.server_name, also_usual=given.also_usual))
    files = None
    if given.cert_file is not None:
        files = CertificateFiles(cert_file=given.cert_file, key_file=given.key_file, min_version=given.min_tls)
    threading.Thread(target=import_parts, name="imports", daemon=True).start()
    secrets = Provider.read(login).for_streamlit() if login else None
    serve_pages(
        guarded(App(PAGE, secrets=secrets), given, has_provider=bool(login)),
        given.host,
        given.port,
        None if files is None else ServedCertificate(KEY, files, SystemClock()),
        message_bytes=get_max_message_size_bytes(),
        max_connections=given.max_connections,
    )


def import_parts() -> None:
    """Import what the pages import, so that the first reader does not wait. Caches need the runtime."""
    from streamlit import runtime

    while not runtime.exists():
        time.sleep(0.05)
    for part in PARTS:
        for module in pkgutil.walk_packages([str(PAGE.with_name(part))], f"dashboards.{part}."):
            importlib.import_module(module.name)


def arguments(given: list[str]) -> argparse.Namespace:
    """Parse the arguments. monitor/cli/dashboard/process.py writes them."""
    parser = argparse.ArgumentParser(prog="dashboards.server")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", required=True, type=int)
    parser.add_argument("--cert-file", type=Path)
    parser.add_argument("--key-file", type=Path)
    parser.add_argument("--min-tls", default="1.2")
    parser.add_argument("--hsts-s", type=int, default=0)
    parser.add_argument("--allowed-host", action="append", default=[])
    parser.add_argument("--allowed-origin", action="append", default=[])
    parser.add_argument("--max-connections", type=int, default=1_024)
    parser.add_argument("--ca-file", type=Path)  # the authority of the daemon
    parser.add_argument("--server-name")  # of the daemon's certificate, when its address has another name
    parser.add_argument("--also-usual", action="store_true")  # trust the authorities of the system too
    parser.add_argument("--login-on-stdin", action="store_true")  # the first line has the provider of the login
    parser.add_argument("--secure-cookies", action="store_true")  # browsers reach the pages through a proxy with TLS
    parser.add_argument("page_arguments", nargs="*")
    return parser.parse_args(given)


def options(given: argparse.Namespace) -> dict[str, Any]:
    """Return Streamlit's options. They override every configuration file of the machine."""
    # Streamlit does not open the files of TLS: monitor/servers does. With the option, its cookies are for HTTPS only.
    tls = {"server.sslCertFile": str(given.cert_file), "server.sslKeyFile": str(given.key_file)}
    return {
        "server.address": given.host,
        "server.port": given.port,
        "server.headless": True,  # open no browser and do not ask for an e-mail address
        "server.enableCORS": True,  # check the Origin of WebSockets, so that other web pages cannot read the data
        "server.corsAllowedOrigins": list(given.allowed_origin),
        "server.enableXsrfProtection": True,
        "server.fileWatcherType": "none",
        "secrets.files": [],  # a file of the machine must not change the login
        "browser.gatherUsageStats": False,
        **(tls if given.cert_file is not None else {}),
    }


def guarded(app: Any, given: argparse.Namespace, *, has_provider: bool = False) -> Any:
    """Return the application with the login, the checks of Host and Origin and the security headers."""
    from dashboards.connection import read_arguments
    from dashboards.login.reader import Login
    from dashboards.login.return_to_page import ReturnToPage
    from dashboards.login.secure_cookies import SecureCookies
    from dashboards.login.token_login import TokenGate, TokenLogin
    from monitor.guards.allowed_callers import AllowedCallers, LocalHostsOnly
    from monitor.guards.security_headers import DASHBOARD, SecurityHeaders

    page = read_arguments(given.page_arguments)
    if has_provider:
        app = ReturnToPage(app)
    elif page.login is Login.TOKEN:
        gate = TokenGate(page.url, is_loopback=page.is_open)
        app = TokenLogin(app, page.url, gate)
    if given.secure_cookies or given.cert_file is not None:
        app = SecureCookies(app)
    app = AllowedCallers(app, hosts=given.allowed_host, origins=given.allowed_origin)
    if _is_loopback(given.host):  # the pages may have no login there
        app = LocalHostsOnly(app, hosts=given.allowed_host)
    return SecurityHeaders(app, DASHBOARD, hsts_s=given.hsts_s)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _from_parent() -> dict[str, Any]:
    """Return the provider of the login, from the first line of standard input: an argument would be public."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(sys.stdin.fileno(), 1)):
        line += byte
    return dict(json.loads(line))


def _end_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(GRACE_S)
    os._exit(1)


if __name__ == "__main__":
    main()
