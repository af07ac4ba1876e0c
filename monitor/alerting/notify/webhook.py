"""Alerts as JSON over HTTP."""

import logging
from datetime import datetime
from email.utils import parsedate_to_datetime

import httpx

from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.deadline import run_within
from monitor.alerting.notify.greet import greet, reason_of
from monitor.domain.alert import Notification
from monitor.errors import ConfigError

_BUSY = {408, 429}
_LOG = logging.getLogger("httpx")


class Webhook:
    """Posts each notification's payload to one URL, which is a secret: errors and logs name its host alone.

    2xx is delivered. 408, 429, 5xx, a network that fails and a delivery that is not over after `timeout_s` mean that
    the receiver is away; Retry-After is kept when it is given. Any other answer is a refusal, redirects too: the URL
    must be the right one.
    """

    def __init__(self, name: str, url: str, timeout_s: float) -> None:
        self._name = name
        self._timeout_s = timeout_s
        self._url = _parse(name, url)
        self._host = self._url.netloc.decode("ascii")
        self._tls = httpx.create_ssl_context(trust_env=False)  # made once: it reads every certificate that is trusted
        self._mask = _HideRequestsTo(self._url.host)
        _LOG.addFilter(self._mask)

    @property
    def name(self) -> str:
        return self._name

    def reach(self) -> None:
        """Connect as `send` does, over TLS when the address says so, and hang up."""
        host = self._url.raw_host.decode("ascii")
        secure = self._url.scheme == "https"
        port = self._url.port or (443 if secure else 80)
        try:
            greet(host, port, tls=self._tls if secure else None, timeout_s=self._timeout_s)
        except OSError as error:
            raise ReceiverUnavailable(f"{self._where} cannot be reached: {reason_of(error)}") from error

    def send(self, notification: Notification) -> None:
        try:
            run_within(self._timeout_s, lambda: self._post(notification))
        except (httpx.TransportError, TimeoutError) as error:  # httpx's may hold the URL, so the chain is not kept
            raise ReceiverUnavailable(f"{self._where}: {_reason(error)}") from None

    async def _post(self, notification: Notification) -> None:
        headers = {"X-Driftd-Alert": notification.alert_id, "Idempotency-Key": notification.id, "User-Agent": "driftd"}
        body = dict(notification.payload)
        # the deadline over all of it is `send`'s; the environment's proxies are not configuration of driftd
        async with (
            httpx.AsyncClient(timeout=None, trust_env=False, verify=self._tls) as client,  # noqa: S113
            # streamed: the status is all that counts, however long the body
            client.stream("POST", self._url, json=body, headers=headers) as response,
        ):
            self._check(response)

    def close(self) -> None:
        _LOG.removeFilter(self._mask)

    @property
    def _where(self) -> str:
        return f"receiver {self._name!r} at {self._host}"

    def _check(self, response: httpx.Response) -> None:
        if response.is_success:
            return
        answered = f"{self._where} answered {response.status_code}"
        if response.status_code in _BUSY or response.is_server_error:
            raise ReceiverUnavailable(answered, retry_after_s=retry_after_s(response.headers))
        hint = "; give the address it redirects to" if response.is_redirect else ""
        raise ReceiverRefused(f"{answered}{hint}")


class _HideRequestsTo(logging.Filter):
    """Drops httpx's line about each request, which holds the whole URL."""

    def __init__(self, host: str) -> None:
        super().__init__()
        self._hidden = host

    def filter(self, record: logging.LogRecord) -> bool:
        args = record.args if isinstance(record.args, tuple) else ()
        return not any(isinstance(arg, httpx.URL) and arg.host == self._hidden for arg in args)


def retry_after_s(headers: httpx.Headers) -> float:
    """Seconds to wait as `Retry-After` says, in seconds or as a date (counted from the answer's own date); else 0."""
    asked = headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdigit():
        return float(asked)
    until, sent = _date(asked), _date(headers.get("date", ""))
    return max(0.0, (until - sent).total_seconds()) if until and sent else 0.0


def _date(text: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    return at if at.tzinfo else None


def _parse(name: str, url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        raise ConfigError(f"receiver {name!r}: its url cannot be read as one") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ConfigError(f"receiver {name!r}: its url must be http:// or https:// and name a host")
    return parsed


def _reason(error: httpx.TransportError | TimeoutError) -> str:
    """Why nothing came back, in words that cannot hold the URL."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return "cannot be reached" if isinstance(error, httpx.ConnectError) else "the connection broke"
