"""Posts JSON to the URL of a receiver. Every receiver that uses HTTP has one Poster."""

import json
import logging
import re
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.deadline import run_within
from monitor.alerting.notify.handshake import handshake, reason_of
from monitor.errors import ConfigError
from replay.targets.retry_after import read_retry_after

_BUSY = {408, 429}
_MOST_READ = 4096  # bytes of an error response
_MOST_REPLY = 262_144  # bytes of the response to an accepted request
_CODE = re.compile(r"[a-z][a-z_]{2,59}")
_LOG = logging.getLogger("httpx")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A 2xx response. `retry_after_s` is its Retry-After in seconds, or 0. A larger body than 256 kB is empty."""

    body: bytes
    retry_after_s: float = 0.0


class Poster:
    """Posts JSON to one URL. The URL is a secret: errors and logs contain only its host.

    A 2xx response is a delivery. The receiver is unavailable after 408, 429, 5xx, a network error, or no response
    within `timeout_s`; its Retry-After applies. Any other response is a refusal. Redirects are refused too, because
    the configured URL must be the final one. If the body of a refusal is one word of the form `invalid_payload`, the
    error contains it.
    """

    def __init__(self, name: str, url: str, timeout_s: float, *, ca_file: Path | None = None) -> None:
        """`ca_file` has the certificates that sign that of the server, in PEM. Without it, those of the system do."""
        self._name = name
        self._timeout_s = timeout_s
        self._url = _parse(name, url)
        self._host = self._url.netloc.decode("ascii")
        self._tls = _tls(name, ca_file)  # created once: it reads every trusted certificate
        self._mask = _HideRequestsTo(self._url.host)
        _LOG.addFilter(self._mask)

    @property
    def name(self) -> str:
        return self._name

    @property
    def host(self) -> str:
        """Return host and port of the URL, which are no secret."""
        return self._host

    def reach(self) -> None:
        """Connect as `post` does, with TLS for an https address, and close the connection."""
        host = self._url.raw_host.decode("ascii")
        secure = self._url.scheme == "https"
        port = self._url.port or (443 if secure else 80)
        try:
            handshake(host, port, tls=self._tls if secure else None, timeout_s=self._timeout_s)
        except OSError as error:
            raise ReceiverUnavailable(f"{self.where} cannot be reached: {reason_of(error)}") from error

    def post(self, body: Mapping[str, Any] | bytes, headers: Mapping[str, str] | None = None, path: str = "") -> None:
        """Return after the receiver accepted the body: a mapping, or the bytes of a JSON document.

        `path` is appended to the URL, which then has no query.

        Raises:
            ReceiverUnavailable: The same body can be accepted later.
            ReceiverRefused: The receiver rejects the body or the URL.
        """
        self._within(body, headers, path, reads=False)

    def ask(self, body: Mapping[str, Any] | bytes, headers: Mapping[str, str] | None = None, path: str = "") -> Reply:
        """Return the response to an accepted request with its body. Arguments and errors are those of `post`."""
        return self._within(body, headers, path, reads=True)

    def _within(
        self, body: Mapping[str, Any] | bytes, headers: Mapping[str, str] | None, path: str, *, reads: bool
    ) -> Reply:
        try:
            return run_within(self._timeout_s, lambda: self._post(body, headers or {}, path, reads=reads))
        except (httpx.TransportError, TimeoutError) as error:  # the error can contain the URL: do not chain it
            raise ReceiverUnavailable(f"{self.where}: {_reason(error)}") from None

    async def _post(
        self, body: Mapping[str, Any] | bytes, headers: Mapping[str, str], path: str, *, reads: bool
    ) -> Reply:
        url = httpx.URL(f"{self._url}{path}")
        content = body if isinstance(body, bytes) else json_bytes(body)
        sent = {"User-Agent": "driftd", "Content-Type": "application/json", **headers}
        # `post` sets the deadline for all steps. Proxies of the environment are not configuration of driftd.
        async with (
            httpx.AsyncClient(timeout=None, trust_env=False, verify=self._tls) as client,  # noqa: S113
            # streamed, so that no more than the start of an error response is read
            client.stream("POST", url, content=content, headers=sent) as response,
        ):
            if not response.is_success:
                self._raise_for(response, await _word_of(response))
            return Reply(
                body=await _start_of(response, _MOST_REPLY) if reads else b"", retry_after_s=_pause_of(response)
            )

    def close(self) -> None:
        _LOG.removeFilter(self._mask)

    @property
    def where(self) -> str:
        """Return the name of the receiver and its host, for errors."""
        return f"receiver {self._name!r} at {self._host}"

    def _raise_for(self, response: httpx.Response, word: str) -> None:
        answered = f"{self.where} responded {response.status_code}{word}"
        if response.status_code in _BUSY or response.is_server_error:
            raise ReceiverUnavailable(answered, retry_after_s=_pause_of(response))
        hint = "; configure the address that it redirects to" if response.is_redirect else ""
        raise ReceiverRefused(f"{answered}{hint}")


def json_bytes(document: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> bytes:
    """Return the document as JSON in UTF-8, without spaces."""
    plain = dict(document) if isinstance(document, Mapping) else [dict(each) for each in document]
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _tls(name: str, ca_file: Path | None) -> ssl.SSLContext:
    if ca_file is None:
        return httpx.create_ssl_context(trust_env=False)
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"receiver {name!r}: cannot read ca_file {ca_file}: {error}") from error


async def _word_of(response: httpx.Response) -> str:
    """Return ` (word)` if the body is one word like `no_service`. A longer body can repeat the URL: it is left out."""
    body = await _start_of(response, _MOST_READ)
    text = body.decode("ascii", "replace").strip()
    return f" ({text})" if _CODE.fullmatch(text) else ""


async def _start_of(response: httpx.Response, most: int) -> bytes:
    """Return the body, or nothing if it has more than `most` bytes."""
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > most:
            return b""
    return body


def _pause_of(response: httpx.Response) -> float:
    return read_retry_after(response.headers, datetime.now(UTC)) or 0.0


class _HideRequestsTo(logging.Filter):
    """Drops the log line of httpx for each request, because it contains the whole URL."""

    def __init__(self, host: str) -> None:
        super().__init__()
        self._hidden = host

    def filter(self, record: logging.LogRecord) -> bool:
        args = record.args if isinstance(record.args, tuple) else ()
        return not any(isinstance(arg, httpx.URL) and arg.host == self._hidden for arg in args)


def _parse(name: str, url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        raise ConfigError(f"receiver {name!r}: its url is not a valid URL") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ConfigError(f"receiver {name!r}: its url must be http:// or https:// and name a host")
    return parsed


def _reason(error: httpx.TransportError | TimeoutError) -> str:
    """Return why there is no response, in words that cannot contain the URL."""
    if isinstance(error, TimeoutError):
        return "no response in time"
    return "cannot be reached" if isinstance(error, httpx.ConnectError) else "the connection broke"
