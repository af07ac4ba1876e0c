"""Fetch the public keys of a provider by OpenID Connect Discovery 1.0."""

import ipaddress
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, urlsplit

from monitor.guards.oidc.signing_keys import ProviderUnavailable

if TYPE_CHECKING:
    import httpx

TIMEOUT_S: Final = 5.0
LARGEST_BYTES: Final = 512 * 1024
DOCUMENT: Final = "/.well-known/openid-configuration"


def document_url(issuer: str) -> str:
    """Return the address of the provider's settings.

    >>> document_url("https://login.example.com/realms/a/")
    'https://login.example.com/realms/a/.well-known/openid-configuration'
    """
    return issuer.rstrip("/") + DOCUMENT


def is_safe_url(url: str) -> bool:
    """Return whether the network cannot change the answer on its way: HTTPS, or HTTP on loopback.

    >>> [is_safe_url(u) for u in ("https://a.example", "http://a.example", "http://127.0.0.1:9000", "http://idp:80")]
    [True, False, True, False]
    """
    parts = urlsplit(url)
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts)))


def _is_loopback(parts: SplitResult) -> bool:
    try:
        return parts.hostname == "localhost" or ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return False


def fetch_settings(issuer: str, client: "httpx.Client") -> Mapping[str, Any]:
    """Return the provider's settings. Raise ProviderUnavailable when they are not those of the issuer."""
    url = document_url(issuer)
    found = _get(url, client)
    if found.get("issuer") != issuer:
        raise ProviderUnavailable(
            f"{url} names the issuer {found.get('issuer')!r}, and api.oidc.issuer is {issuer!r}; both must be equal"
        )
    return found


def fetch_keys(issuer: str) -> Sequence[Mapping[str, Any]]:
    """Return the JWKs of the provider. Raise ProviderUnavailable."""
    import httpx  # only a daemon with a provider needs it

    with httpx.Client(timeout=TIMEOUT_S) as client:
        url = fetch_settings(issuer, client).get("jwks_uri")
        if not isinstance(url, str) or not is_safe_url(url):
            raise ProviderUnavailable(f"the settings of {issuer} have no jwks_uri with https")
        keys = _get(url, client).get("keys")
    if not isinstance(keys, list):
        raise ProviderUnavailable(f"{url} has no list of keys")
    return [key for key in keys if isinstance(key, Mapping)]


def _get(url: str, client: "httpx.Client") -> Mapping[str, Any]:
    import httpx

    try:
        with client.stream("GET", url, headers={"Accept": "application/json"}) as response:
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if len(body) > LARGEST_BYTES:
                    raise ProviderUnavailable(f"{url} sent more than {LARGEST_BYTES} bytes")
        if response.status_code != httpx.codes.OK:
            raise ProviderUnavailable(f"{url} answered {response.status_code}")
        found = json.loads(body)
    except httpx.InvalidURL as error:
        raise ProviderUnavailable(f"{url} is not an address: {error}") from None
    except httpx.HTTPError as error:
        raise ProviderUnavailable(f"{url} cannot be reached: {error or type(error).__name__}") from None
    except (ValueError, RecursionError):
        raise ProviderUnavailable(f"{url} did not answer with JSON") from None
    if not isinstance(found, Mapping):
        raise ProviderUnavailable(f"{url} did not answer with a JSON object")
    return found
