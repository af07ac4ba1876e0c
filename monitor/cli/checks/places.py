"""Checks whether a daemon runs, and the ports that it uses or would use."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from monitor.alerting.notify.handshake import handshake, reason_of
from monitor.cli.checks.line import Line, State, fail, ok, warn
from monitor.cli.connection.address import address_of, own_host, trust_of
from monitor.cli.connection.client import Api, answers, over_http
from monitor.cli.connection.credentials import headers_of
from monitor.cli.connection.identity import foreign, identify, outdated
from monitor.config.tree import Config
from monitor.errors import ConfigError, UsageError
from monitor.servers import HttpListener, Servers

API, OTLP, GRPC = "port api", "port ingest.otlp", "port ingest.otlp_grpc"
GREETING_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The daemon, or None if none was found, and one line for each of the three ports."""

    api: Api | None
    lines: list[Line]


@contextmanager
def find_daemon(config: Config, token_file: Path | None, ca_file: Path | None = None) -> Iterator[Found]:
    """Connect to the daemon of this configuration if it runs."""
    if config.api.port == 0:
        line = warn(API, "port 0 selects a free port at each start: a running daemon cannot be found")
        yield Found(api=None, lines=[line, *_own_ports(config)[1:]])
        return
    try:
        trust = trust_of(config, ca_file)
    except UsageError as error:
        yield Found(api=None, lines=[fail(API, str(error)), *_own_ports(config)[1:]])
        return
    with over_http(address_of(config), headers_of(token_file, None), trust) as api:
        try:
            runs = answers(api)
        except UsageError as error:
            yield Found(api=None, lines=[fail(API, str(error)), *_own_ports(config)[1:]])
            return
        if not runs:
            yield Found(api=None, lines=_own_ports(config))
            return
        api.daemon = identify(api)
        line = _daemon_line(api, config)
        own = line.state is not State.FAIL
        yield Found(api=api if own else None, lines=[line, *(_otlp_of_daemon(config) if own else [])])


def _daemon_line(api: Api, config: Config) -> Line:
    """Return the line of the daemon. It fails for a daemon of another configuration."""
    if reason := foreign(api.daemon, config, api.where):
        return fail(API, reason)
    if warning := outdated(api.daemon, config, api.where):
        return warn(API, warning)
    database = f", database {api.daemon.database}" if api.daemon else ""
    return ok(API, f"a daemon answers at {api.where}{database}")


def _own_ports(config: Config) -> list[Line]:
    http, grpc = config.ingest.otlp, config.ingest.otlp_grpc
    return [
        _port(API, config.api.host, config.api.port),
        _port(OTLP, http.host, http.port),
        _port(GRPC, grpc.host, grpc.port),
    ]


def _port(check: str, host: str, port: int) -> Line:
    """Bind the port as `driftd serve` does, and release it."""
    try:
        Servers([HttpListener(key=check.removeprefix("port "), app=None, host=host, port=port)]).stop()
    except ConfigError as error:
        return fail(check, str(error))
    return ok(check, f"{host}:{port} is free" if port else f"each start selects a free port of {host}")


def _otlp_of_daemon(config: Config) -> list[Line]:
    http, grpc = config.ingest.otlp, config.ingest.otlp_grpc
    return [_port_of_daemon(OTLP, http.host, http.port), _port_of_daemon(GRPC, grpc.host, grpc.port)]


def _port_of_daemon(check: str, bound: str, port: int) -> Line:
    if port == 0:
        return ok(check, "the daemon selected a free port; see its log")
    host = own_host(bound)
    try:
        handshake(host, port, tls=None, timeout_s=GREETING_S)
    except OSError as error:
        sentence = f"a daemon runs, but nothing listens on {host}:{port} ({reason_of(error)})"
        return fail(check, f"{sentence}; restart it with this configuration")
    return ok(check, f"the daemon listens on {host}:{port}")
