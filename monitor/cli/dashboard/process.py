"""The dashboard process, as `driftd dashboard`, `driftd serve --dashboard` and the demo start it."""

import ipaddress
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Literal

from dashboards.login.provider import Provider
from monitor.errors import UsageError
from monitor.tls.certificates import CertificateFiles
from monitor.tls.trust import SYSTEM, Trust

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8501
START_S = 60.0  # a cold start of Streamlit on a busy machine
STOP_S = 10.0
POLL_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardSettings:
    """The address of the dashboard, and the daemon that it displays.

    With a `provider`, readers log in there. Otherwise they log in with an API token, unless the dashboard has the
    token of a file: all readers then have its roles. On loopback, a daemon without tokens needs no login.
    """

    api_url: str
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    token_file: Path | None = None
    provider: Provider | None = None
    page_url: str | None = None  # in browsers, if a proxy is in front
    trust: Trust = SYSTEM
    tls: CertificateFiles | None = None
    hsts_s: int = 0
    max_connections: int = 1_024
    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()

    @property
    def url(self) -> str:
        scheme = "http" if self.tls is None else "https"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}"

    @property
    def login(self) -> Literal["none", "token", "oidc"]:
        if self.provider is not None:
            return "oidc"
        return "token" if self.token_file is None else "none"

    @property
    def command(self) -> list[str]:
        pages = {
            "--url": self.api_url,
            "--token-file": self.token_file and self.token_file.absolute(),
            "--login": self.login,
        }
        open_ = ["--open"] if self.login == "token" and is_loopback(self.host) else []
        # -P: a module in the working directory must not shadow one of driftd.
        return [sys.executable, "-P", "-m", "dashboards.server", *self._listen(), "--", *_as_options(pages), *open_]

    @property
    def first_line(self) -> str | None:
        """What the process reads first from its standard input, None for nothing: secrets are no arguments."""
        return None if self.provider is None else json.dumps(self.provider.document()) + "\n"

    def _listen(self) -> list[str]:
        given: dict[str, object] = {"--host": self.host, "--port": self.port}
        if self.tls is not None:
            given |= {"--cert-file": self.tls.cert_file.absolute(), "--key-file": self.tls.key_file.absolute()}
            given |= {"--min-tls": self.tls.min_version, "--hsts-s": self.hsts_s}
        given["--max-connections"] = self.max_connections
        given["--ca-file"] = self.trust.ca_file and self.trust.ca_file.absolute()
        given["--server-name"] = self.trust.server_name
        listed = [("--allowed-host", name) for name in self.allowed_hosts]
        listed += [("--allowed-origin", origin) for origin in self.allowed_origins]
        usual = ["--also-usual"] if self.trust.also_usual else []
        usual += ["--login-on-stdin"] if self.provider is not None else []
        usual += ["--secure-cookies"] if (self.page_url or "").startswith("https:") else []
        return [*_as_options(given), *usual, *(word for pair in listed for word in pair)]


class DashboardProcess:
    """A running dashboard process. It always ends together with this process."""

    def __init__(self, pages: DashboardSettings, *, on_line: Callable[[str], None] | None = None) -> None:
        """Start the process; `on_line` gets each line of its standard error. Without it, the lines pass through."""
        self.pages = pages
        self._process = subprocess.Popen(  # noqa: S603  our own interpreter and pages
            pages.command,
            stdin=subprocess.PIPE,  # its end of file means that this process has ended
            stdout=subprocess.DEVNULL,
            stderr=None if on_line is None else subprocess.PIPE,
            start_new_session=True,  # Ctrl-C reaches only this process, which stops the child in order
            text=True,
        )
        if pages.first_line is not None and self._process.stdin is not None:
            self._process.stdin.write(pages.first_line)
            self._process.stdin.flush()
        self._reader: threading.Thread | None = None
        if on_line is not None and self._process.stderr is not None:
            self._reader = threading.Thread(target=_pass_on, args=(self._process.stderr, on_line), daemon=True)
            self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ended(self, timeout_s: float) -> int | None:
        """Return the exit code, or None if the process still runs after `timeout_s`."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def wait_until_ready(self, stop: threading.Event, timeout_s: float = START_S) -> bool:
        """Return True when the port answers; False after the process exits, `stop` is set or the time is up."""
        deadline = monotonic() + timeout_s
        while monotonic() < deadline and not stop.is_set() and self.ended(POLL_S) is None:
            if _answers(self.pages.host, self.pages.port):
                return True
        return False

    def stop(self) -> None:
        """Stop the process, and kill it after STOP_S seconds."""
        self._process.terminate()
        if self.ended(STOP_S) is None:
            self._process.kill()
            self._process.wait()
        if self._reader is not None:
            self._reader.join(STOP_S)
        if self._process.stdin is not None:
            self._process.stdin.close()


def demand_free(host: str, port: int, option: str) -> None:
    """Raise UsageError if the dashboard cannot listen on the port."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise UsageError(
            f"{option} {port}: the dashboard cannot listen on {host}:{port} ({error.strerror or error}); "
            "choose another port"
        ) from None


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to `host`.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _as_options(given: Mapping[str, object]) -> list[str]:
    """Return command-line options; an option without a value is left out.

    >>> _as_options({"--port": 8501, "--ca-file": None})
    ['--port', '8501']
    """
    return [word for name, value in given.items() if value is not None for word in (name, str(value))]


def _answers(host: str, port: int) -> bool:
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - read, not bound
    try:
        socket.create_connection((reached, port), timeout=1.0).close()
    except OSError:
        return False
    return True


def _pass_on(stream: IO[str], on_line: Callable[[str], None]) -> None:
    with stream:
        for line in stream:
            if line.strip():
                on_line(line.rstrip())
