"""Access to the API: over HTTP if a daemon runs, else in this process. Commands use the same path in both cases."""

import os
import secrets
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ValidationError

from monitor.api.schema import DaemonItem, HealthItem, ListPage
from monitor.cli.connection.address import address_of, given_trust, trust_of, valid_address
from monitor.cli.connection.credentials import headers_of, owner
from monitor.cli.connection.error_answers import error_of
from monitor.cli.connection.identity import demand_own, described, identify, outdated
from monitor.cli.connection.transport import (
    DaemonTimeoutError,
    DaemonUnreachableError,
    HttpTransport,
    InProcessTransport,
    NoAnswerError,
    Response,
    Transport,
    UntrustedError,
)
from monitor.cli.options import DEFAULT_CONFIG
from monitor.cli.terminal.output import note
from monitor.errors import Retryable, UsageError
from monitor.tls.trust import SYSTEM, Trust

if TYPE_CHECKING:
    from monitor.config.tree import Config
    from monitor.daemon import App

M = TypeVar("M", bound=BaseModel)
TIMEOUT_S = 120.0  # an import of many cases is one request
PROBE_TIMEOUT_S = 3.0
PAGE_ROWS = 500  # the largest page of the API
IN_PROCESS = "http://127.0.0.1"  # an API without tokens accepts only loopback names
NOTHING: Mapping[str, object] = {}
SETTLE_S = 3600.0  # the work after a command can include a whole replay


class Api:
    """Sends requests to the API. Each returns a model of the schema or raises an error with a message."""

    def __init__(
        self, *, where: str, headers: Mapping[str, str], app: "App | None" = None, trust: Trust = SYSTEM
    ) -> None:
        self.where = where
        self.app = app  # None if a daemon answers
        self.config: Config | None = None  # without a daemon: the configuration of the database
        self.daemon: DaemonItem | None = None  # its identity, after the first request
        self.names_itself = False  # whether the first change prints its database on standard error
        self._exchange: Transport = (
            HttpTransport(where, headers, trust) if app is None else InProcessTransport(app.api, where, headers)
        )

    def get(self, path: str, model: type[M], **parameters: object) -> M:
        given = {name: value for name, value in parameters.items() if value is not None}
        return self._request("GET", path, model, params=given)

    def page(self, path: str, **parameters: object) -> bytes:
        """Return a document that is not JSON."""
        response = self._send("GET", path, parameters, None)
        if response.is_error:
            raise error_of(response)
        return response.content

    def post(self, path: str, body: BaseModel | list[Any], model: type[M]) -> M:
        content = body.model_dump(mode="json") if isinstance(body, BaseModel) else body
        return self._request("POST", path, model, body=content)

    def upload(self, path: str, file: Path, media_type: str, model: type[M], parameters: Mapping[str, object]) -> M:
        """Send the content of a file without reading it into memory."""
        given = {name: value for name, value in parameters.items() if value is not None}
        try:
            response = self._exchange.send_file(
                quote(path), params=given, file=file, media_type=media_type, timeout_s=TIMEOUT_S
            )
        except NoAnswerError as error:
            raise Retryable(f"{self.where} stopped responding: {error}") from None
        return self._read(response, "POST", path, model)

    def list(self, path: str, item: type[M], *, limit: int, **parameters: object) -> ListPage[M]:
        """Return the newest `limit` items, fetched page by page; `next_cursor` is set if there are more."""
        items: list[M] = []
        cursor: str | None = None
        while True:
            rows = min(PAGE_ROWS, limit - len(items))
            page = self.get(path, ListPage[item], limit=rows, cursor=cursor, **parameters)  # type: ignore[valid-type]
            items += page.items
            cursor = page.next_cursor
            if cursor is None or len(items) >= limit:
                return ListPage[item](items=items, next_cursor=cursor)  # type: ignore[valid-type]

    def settle(self) -> None:
        """Without a daemon, run all work that follows from the command. A daemon does it in the background."""
        if self.app is None:
            return
        try:
            self.app.settle(SETTLE_S)
        except TimeoutError as error:
            raise Retryable(f"{error}; the remaining work continues when driftd runs again") from None

    def tidy(self) -> None:
        """Without a daemon, compact the file now if that was ordered. A daemon does it in the background."""
        if self.app is not None:
            self.app.retention.compact_when_due()

    def make_backup(self) -> None:
        """Without a daemon, make the ordered backup now. A daemon does it in the background."""
        if self.app is not None and self.app.backups is not None:
            self.app.backups.run_ordered()

    def probe(self) -> bool:
        """Return whether a daemon answers; False if nothing listens at the address."""
        try:
            response = self._exchange.send("GET", "/healthz", params={}, timeout_s=PROBE_TIMEOUT_S)
        except DaemonUnreachableError:
            return False
        if response.is_error:
            raise error_of(response)
        try:
            HealthItem.model_validate_json(response.content)
        except ValidationError:
            raise UsageError(f"{self.where} is not driftd; check the address") from None
        return True

    def close(self) -> None:
        self._exchange.close()

    def _request(
        self, method: str, path: str, model: type[M], *, params: Mapping[str, object] = NOTHING, body: object = None
    ) -> M:
        return self._read(self._send(method, path, params, body), method, path, model)

    def _read(self, response: Response, method: str, path: str, model: type[M]) -> M:
        if response.is_error:
            raise error_of(response)
        if self.names_itself and method != "GET":
            self.names_itself = False
            note(described(self))
        try:
            return model.model_validate_json(response.content)
        except ValidationError:
            raise UsageError(
                f"{self.where}{path} sent an unknown response; command and daemon must have the same version"
            ) from None

    def _send(self, method: str, path: str, params: Mapping[str, object], body: object) -> Response:
        try:
            return self._exchange.send(method, quote(path), params=params, body=body, timeout_s=TIMEOUT_S)
        except NoAnswerError as error:
            raise Retryable(f"{self.where} stopped responding: {error}") from None


class Work(Enum):
    """The loops that a command runs if there is no daemon."""

    NONE = auto()
    STORING = auto()  # the writer and the loops without replays
    REPLAYS = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How a command uses the database.

    `work` runs in this process if there is no daemon: only what the command needs. `creates`: a missing database is
    created. `writes`: the command changes data, and prints the name of the database on standard error.
    `without_config`: without a `driftd.yaml`, the defaults apply. `memory_limit_mb` bounds that of the configuration.
    """

    work: Work = Work.NONE
    creates: bool = False
    writes: bool = False
    without_config: bool = False
    memory_limit_mb: int | None = None


READING = Access()


@contextmanager
def connect(
    *,
    config_path: Path,
    url: str | None,
    token_file: Path | None,
    access: Access = READING,
    user: str | None = None,
    ca_file: Path | None = None,
) -> Iterator[Api]:
    """Connect to `url`, or to the daemon of the configuration, or open the database file in this process."""
    with _reached(config_path, url, headers_of(token_file, user), access, user=user, ca_file=ca_file) as api:
        api.names_itself = access.writes
        yield api


@contextmanager
def _reached(
    config_path: Path,
    url: str | None,
    headers: Mapping[str, str],
    access: Access,
    *,
    user: str | None,
    ca_file: Path | None,
) -> Iterator[Api]:
    if url is not None:
        with over_http(valid_address(url), headers, given_trust(ca_file)) as api:
            _demand_answer(api)
            api.daemon = identify(api) if access.writes else None
            yield api
        return
    config = configuration(config_path, access)
    if config.source is not None and _listens(config):
        with over_http(address_of(config), headers, trust_of(config, ca_file)) as api:
            if answers(api):
                _take_own(api, config, warns=access.writes)
                yield api
                return
    if not access.creates:
        _demand_database(config)
    with _in_process(_limited(config, access.memory_limit_mb), work=access.work, user=user) as api:
        yield api


def _limited(config: "Config", memory_limit_mb: int | None) -> "Config":
    from monitor.config.resources import resources  # a daemon that answers needs none

    if memory_limit_mb is None or resources(config).memory_limit_mb.value <= memory_limit_mb:
        return config
    return config.model_copy(update={"store": config.store.model_copy(update={"memory_limit_mb": memory_limit_mb})})


def _take_own(api: Api, config: "Config", *, warns: bool) -> None:
    """Refuse a daemon with another configuration; warn about one that was started with an older version of the file."""
    api.daemon = identify(api)
    demand_own(api.daemon, config, api.where)
    if warns and (warning := outdated(api.daemon, config, api.where)):
        note(f"warning: {warning}")


def _demand_database(config: "Config") -> None:
    path = config.store.path
    if config.store.url is None and not path.exists():
        raise UsageError(
            f"no daemon answers at {address_of(config)} and there is no database at {path}; "
            "start the daemon with `driftd serve`, or name another configuration with --config"
        )


def _listens(config: "Config") -> bool:
    """Return False if a connection is refused: no daemon runs, and no HTTP request is needed."""
    where = urlsplit(address_of(config))
    try:
        socket.create_connection((where.hostname or "", config.api.port), PROBE_TIMEOUT_S).close()
    except ConnectionRefusedError:
        return False
    except OSError:
        return True  # the caller reports what it is
    return True


@contextmanager
def over_http(where: str, headers: Mapping[str, str], trust: Trust = SYSTEM) -> Iterator[Api]:
    api = Api(where=where, headers=headers, trust=trust)
    try:
        yield api
    finally:
        api.close()


@contextmanager
def _in_process(config: "Config", *, work: Work, user: str | None) -> Iterator[Api]:
    """Run the same API without a server. A user who can open the file needs no token and has the keys of its sets."""
    from monitor.app import build  # slow: imports every part of the daemon
    from monitor.clock import SystemClock

    token = secrets.token_urlsafe()
    open_to_owner = config.model_copy(update={"api": config.api.model_copy(update={"tokens": (owner(token, user),)})})
    app = build(open_to_owner, clock=SystemClock(), serving=False)
    try:
        if work is not Work.NONE:
            app.start_local(replays=work is Work.REPLAYS)
        api = Api(where=IN_PROCESS, headers={"Authorization": f"Bearer {token}"}, app=app)
        api.config = config
        try:
            yield api
        finally:
            api.close()
    finally:
        app.stop()


def configuration(path: Path, access: Access) -> "Config":
    """Return the configuration. Without a `driftd.yaml`, a database with the default path is used with the defaults:
    imported results need no configuration.
    """
    from monitor.config.load import defaults, load  # slow to import; not needed with --url

    if path == DEFAULT_CONFIG and not path.exists():
        usual = defaults(Path.cwd())
        if access.without_config or usual.store.path.exists():
            return usual
    return load(path, os.environ)


def answers(api: Api) -> bool:
    """Return whether a daemon answers: False if nothing listens. Raises UsageError for another service or a timeout."""
    try:
        return api.probe()
    except DaemonTimeoutError:
        raise UsageError(f"{api.where} accepts connections but does not respond; see the log of the daemon") from None
    except UntrustedError as error:
        raise UsageError(
            f"the connection to {api.where} is not trusted: {error}; name the certificate authority with --ca-file"
        ) from None
    except NoAnswerError as error:
        raise UsageError(f"{api.where} is not driftd: {error}") from None


def _demand_answer(api: Api) -> None:
    if not answers(api):
        raise UsageError(
            f"no daemon answers at {api.where}; start one with `driftd serve`, or omit --url to open the database file"
        )
