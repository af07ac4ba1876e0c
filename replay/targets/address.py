"""Addresses and keys of servers, checked before the first call; errors never tell what a key or password is."""

import httpx

from replay.errors import TargetError


def read_address(given: str, key: str = "base_url", example: str = "https://host/v1") -> httpx.URL:
    """The URL. TargetError names the key it was given as."""
    try:
        url = httpx.URL(given)
    except httpx.InvalidURL as error:
        raise TargetError(f"{key} {given!r} is no URL ({error}); give it as {example}") from None
    if url.userinfo:
        raise TargetError(f"{key} of {url.host} holds a user or password; give the key as api_key")
    if url.scheme not in {"http", "https"} or not url.host:
        raise TargetError(f"{key} {given!r} has no http(s) scheme or no host; give it as {example}")
    return url


def check_key(key: str | None, where: str) -> None:
    """TargetError for a key that no HTTP header can carry."""
    if key is not None and (not key.isascii() or not key.isprintable() or key != key.strip() or not key):
        raise TargetError(
            f"the api_key of target {where} is empty or holds a character no HTTP header can carry"
            " (a line break at its end?)"
        )


def without(secret: str | None, body: bytes) -> bytes:
    """Servers quote what they were sent: the key does not leave through their mouth."""
    return body.replace(secret.encode(), b"***") if secret else body
