"""The public keys of the provider, cached. Pure apart from `fetch`, which is an argument.

The keys are fetched at the start, then once an hour, and once more when a token names an unknown key: the provider may
have changed its keys. A client that invents key names causes at most one request a minute. While the provider does not
answer, the last keys stay valid for a day.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from monitor.errors import Retryable

if TYPE_CHECKING:
    from joserfc.jwk import ECKey, OKPKey, RSAKey

log = logging.getLogger(__name__)
PublicKey: TypeAlias = "RSAKey | ECKey | OKPKey"
Fetch = Callable[[], Sequence[Mapping[str, Any]]]  # the JWKs of the provider; raises ProviderUnavailable
REFRESH_S: Final = 3_600.0
PAUSE_S: Final = 60.0  # between two requests to the provider
LONGEST_S: Final = 86_400.0  # a key that the provider withdrew is refused after this time at the latest
MOST_KEYS: Final = 50
_TYPES: Final = ("RSA", "EC", "OKP")  # never a shared secret


class ProviderUnavailable(Retryable):
    """The identity provider gave no usable answer. The message names the address and the reason."""

    code = "provider_unavailable"
    retry_after_s = 60.0


class SigningKeys:
    """The keys by their id. Several threads may use it at the same time."""

    def __init__(self, fetch: Fetch, now_s: Callable[[], float] = monotonic) -> None:
        self._fetch, self._now_s = fetch, now_s
        self._lock = threading.Lock()  # protects the fields below, never a request
        self._keys: tuple[PublicKey, ...] = ()
        self._fetched_s = self._asked_s = float("-inf")
        self._running: Future[None] | None = None
        self.problem: str | None = None  # the reason why the last request failed

    def matching(self, kid: str | None) -> list[PublicKey]:
        """Return the keys with this id; without an id, all keys."""
        with self._lock:
            if self._now_s() - self._fetched_s > LONGEST_S:
                return []
            return [key for key in self._keys if kid is None or key.kid == kid]

    def refresh(self, kid: str | None) -> Future[None] | None:
        """Start a request if the keys are old or `kid` is unknown. Return what a caller waits for before it tries the
        token, or None when the keys at hand are enough.
        """
        known = bool(self.matching(kid))
        with self._lock:
            now_s = self._now_s()
            if self._running is None and _is_due(now_s - self._fetched_s, now_s - self._asked_s, known=known):
                self._asked_s, self._running = now_s, Future()
                threading.Thread(target=self._request, args=(self._running,), name="oidc-keys", daemon=True).start()
            return None if known else self._running

    def _request(self, done: "Future[None]") -> None:
        done.set_running_or_notify_cancel()
        try:
            keys = usable(self._fetch())
        except ProviderUnavailable as error:
            self._end(None, str(error))
            log.warning("the keys of the identity provider are not available: %s", error)
        except BaseException:
            self._end(None, "internal error")
            raise
        else:
            self._end(keys, None)
        finally:
            done.set_result(None)

    def _end(self, keys: tuple[PublicKey, ...] | None, problem: str | None) -> None:
        with self._lock:
            self.problem, self._running = problem, None
            if keys is not None:
                self._keys, self._fetched_s = keys, self._now_s()


def _is_due(age_s: float, pause_s: float, *, known: bool) -> bool:
    return pause_s >= PAUSE_S and (not known or age_s >= REFRESH_S)


def usable(jwks: Sequence[Mapping[str, Any]]) -> tuple[PublicKey, ...]:
    """Return the public keys that may sign ID tokens. Keys of an unknown kind and broken ones are left out."""
    from joserfc.errors import JoseError  # only a daemon with a provider needs it
    from joserfc.jwk import ECKey, OKPKey, RSAKey, import_key

    found = []
    for jwk in jwks[:MOST_KEYS]:
        if jwk.get("kty") in _TYPES and jwk.get("use", "sig") == "sig":
            try:
                key = import_key({**jwk})
            except (JoseError, ValueError, TypeError, KeyError):
                continue
            if isinstance(key, RSAKey | ECKey | OKPKey):
                found.append(key)
    return tuple(found)
