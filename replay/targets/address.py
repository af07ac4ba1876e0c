"""Addresses and keys of servers, checked before the first call; errors never tell what a key or password is."""

from collections.abc import Sequence

from yarl import URL

from replay.errors import TargetError
from replay.targets.masking import HIDDEN, mask_url


def read_address(given: str, key: str = "base_url", example: str = "https://host/v1") -> URL:
    """The URL. TargetError names the key it was given as."""
    try:
        url = URL(_printable(given))
    except ValueError as error:
        why = error if "%" not in str(error) and given not in str(error) else "it cannot be parsed"
        raise TargetError(f"{key} {mask_url(given)!r} is no URL ({why}); give it as {example}") from None
    if url.raw_user is not None or url.raw_password is not None:
        raise TargetError(f"{key} of {url.host} holds a user or password; give the key as api_key")
    if url.scheme not in {"http", "https"} or not url.host:
        raise TargetError(f"{key} {mask_url(given)!r} has no http(s) scheme or no host; give it as {example}")
    return url


def _printable(given: str) -> str:
    """ValueError for what no request line can carry; spaces and what lies beyond ASCII are written in percents."""
    if any(char < " " or char == "\x7f" for char in given):
        raise ValueError("it holds a character that cannot be printed")
    return given


def check_key(key: str | None, where: str) -> None:
    """TargetError for a key that no HTTP header can carry."""
    if key is not None and (not key.isascii() or not key.isprintable() or key != key.strip() or not key):
        raise TargetError(
            f"the api_key of target {mask_url(where)} is empty or holds a character no HTTP header can carry"
            " (a line break at its end?)"
        )


def without(secrets: Sequence[str], body: bytes) -> bytes:
    """Return the body without the secrets that the server was sent: servers quote them."""
    for secret in secrets:
        body = body.replace(secret.encode(), HIDDEN.encode())
    return body


def text_without(secrets: Sequence[str], text: str) -> str:
    """The same for a text."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text
