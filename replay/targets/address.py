"""Checks URLs and keys of servers before the first call. Errors never contain a key or a password."""

from collections.abc import Sequence

from yarl import URL

from replay.errors import TargetError
from replay.targets.masking import HIDDEN, mask_url


def read_address(given: str, key: str = "base_url", example: str = "https://host/v1") -> URL:
    """Return the URL. TargetError names the key of the configuration."""
    try:
        url = URL(_printable(given))
    except ValueError as error:
        why = error if "%" not in str(error) and given not in str(error) else "it cannot be parsed"
        raise TargetError(f"{key} {mask_url(given)!r} is not a valid URL ({why}); write it as {example}") from None
    if url.raw_user is not None or url.raw_password is not None:
        raise TargetError(f"{key} of {url.host} contains a user or password; put the key into api_key")
    if url.scheme not in {"http", "https"} or not url.host:
        raise TargetError(f"{key} {mask_url(given)!r} has no http(s) scheme or no host; write it as {example}")
    return url


def _printable(given: str) -> str:
    """Return the URL with spaces and non-ASCII characters percent-encoded. Raise ValueError for control characters."""
    if any(char < " " or char == "\x7f" for char in given):
        raise ValueError("it contains a control character")
    return given


def check_key(key: str | None, where: str) -> None:
    """Raise TargetError for a key that an HTTP header cannot contain."""
    if key is not None and (not key.isascii() or not key.isprintable() or key != key.strip() or not key):
        raise TargetError(
            f"the api_key of target {mask_url(where)} is empty or holds a character no HTTP header can carry"
            " (a line break at its end?)"
        )


def without(secrets: Sequence[str], body: bytes) -> bytes:
    """Return the body without the secrets of the request, because servers quote them."""
    for secret in secrets:
        body = body.replace(secret.encode(), HIDDEN.encode())
    return body


def text_without(secrets: Sequence[str], text: str) -> str:
    """Return the text without the secrets of the request."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text
