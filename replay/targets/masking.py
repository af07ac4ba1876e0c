"""Masks possible secrets in URLs and arguments, for manifests, errors, logs and pages."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote_plus

HIDDEN = "***"
# Parameters with visible values: they name a version or a deployment and are not credentials.
VISIBLE = frozenset({"api-version", "api_version", "version", "model", "deployment", "alt", "stream"})
_SECRET_NAME = re.compile(r"key|token|secret|passw|pwd|sig|auth|credential|session|code", re.IGNORECASE)
_PUBLIC_HEADERS = frozenset({"accept", "accept-language", "content-type", "user-agent"})
_USER = re.compile(r"^(\w+://)[^/?#\s]*@")
_URL = re.compile(r"\w+://[^\s'\"<>()]+")
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_SHORTEST_NAMED, _SHORTEST = 4, 20  # a shorter value may be a word of an answer


def mask_url(url: str) -> str:
    """Return the address without user, password and fragment, and with the values of its query hidden.

    >>> mask_url("https://me:pw@host/v1?api-version=2026-01&key=abc#x")
    'https://***@host/v1?api-version=2026-01&key=***#***'
    """
    address, hash_mark, _ = _USER.sub(rf"\1{HIDDEN}@", url).partition("#")
    path, question_mark, query = address.partition("?")
    pairs = "&".join(_masked(pair) for pair in query.split("&")) if query else ""
    return path + question_mark + pairs + (hash_mark and f"#{HIDDEN}")


def mask_text(text: str) -> str:
    """Return the text with every address in it masked."""
    return _URL.sub(lambda found: mask_url(found[0]), text)


def mask_command(command: Iterable[str]) -> tuple[str, ...]:
    """Return the arguments with addresses masked, and the values of options with the name of a secret hidden.

    >>> mask_command(["ask", "--api-key", "abc", "--token=def", "https://host/?key=x"])
    ('ask', '--api-key', '***', '--token=***', 'https://host/?key=***')
    """
    masked, hide_next = list[str](), False
    for argument in command:
        name, equals, _ = argument.partition("=")
        secret = argument.startswith("-") and _SECRET_NAME.search(name) is not None
        masked.append(HIDDEN if hide_next else f"{name}={HIDDEN}" if secret and equals else mask_text(argument))
        hide_next = secret and not equals
    return tuple(masked)


def secrets_of(urls: Iterable[str], headers: Mapping[str, str], keys: Iterable[str | None]) -> tuple[str, ...]:
    """Return the values that must not be quoted: the keys, and the secrets in URLs and headers.

    A header whose name is not that of a secret counts from 20 characters on: an id of a tenant may be one. Templates
    are not secrets, because they are filled from the case. The longest come first, because one may contain another.
    """
    found = {key for key in keys if key}
    for url in urls:
        query = url.partition("#")[0].partition("?")[2]
        found.update(_secret_of(*pair.partition("=")[::2]) for pair in query.split("&"))
    found.update(_secret_of(name, value) for name, value in headers.items() if name.lower() not in _PUBLIC_HEADERS)
    found |= {value.split(" ", 1)[1] for value in list(found) if value.lower().startswith("bearer ")}
    found |= {unquote_plus(value) for value in list(found)}
    return tuple(sorted(found - {""}, key=len, reverse=True))


def _masked(pair: str) -> str:
    name, equals, _ = pair.partition("=")
    if not equals:
        return HIDDEN if pair else ""
    return pair if name.lower() in VISIBLE else f"{name}={HIDDEN}"


def _secret_of(name: str, value: str) -> str:
    """Return the value if its name or its length marks a secret, else nothing."""
    if _TEMPLATE.search(value):
        return ""
    needed = _SHORTEST_NAMED if _SECRET_NAME.search(name) else _SHORTEST
    return value if len(value) >= needed and name.lower() not in VISIBLE else ""
