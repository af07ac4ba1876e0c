"""The identity of a version, from the fields that its deployment configures."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

IDENTITY_FIELDS = ("response_model", "request_model", "prompt")
_CACHED_CHARS: Final = 1000  # of all names together; a few versions serve nearly every call
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The identity of a version. `digest` is stored with every interaction and is the id of the version."""

    digest: str
    fields: dict[str, str]
    label: str  # for people: "gpt-4-0314 · prompt 3f2a9c" or "gpt-4-0314 · support@12"


def identity_of(
    fields: tuple[str, ...],
    *,
    response_model: str | None,
    prompt_id: str | None = None,
    prompt_version: str | None = None,
    prompt_hash: str | None = None,
    request_model: str | None = None,
) -> Identity | None:
    """Return the identity under the configured `fields`; None when the response model is one of them and unknown.

    The prompt is "id@version" when it has an id (the id alone without a version), else the hash of the system prompt,
    else the empty string.
    """
    if "response_model" in fields and not response_model:
        return None
    values = (response_model or "", request_model or "", prompt_name(prompt_id, prompt_version, prompt_hash))
    return (_cached if sum(map(len, values)) <= _CACHED_CHARS else _identity)(fields, *values)


def _identity(fields: tuple[str, ...], response_model: str, request_model: str, prompt: str) -> Identity:
    known = {"response_model": response_model, "request_model": request_model, "prompt": prompt}
    return identity_from({name: _value(known, name) for name in fields})


_cached: Final = lru_cache(1024)(_identity)


def identity_from(fields: Mapping[str, str]) -> Identity:
    """Return the identity of named values. The digest does not depend on their order."""
    canonical = json.dumps(dict(fields), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(canonical.encode()).hexdigest()[:12]
    return Identity(digest=digest, fields=dict(fields), label=label_of(fields))


def prompt_name(prompt_id: str | None, prompt_version: str | None, prompt_hash: str | None) -> str:
    """Return the name of a prompt in an identity."""
    if prompt_id:
        return f"{prompt_id}@{prompt_version}" if prompt_version else prompt_id
    return prompt_hash or ""


def named_prompt(name: str) -> tuple[str | None, str | None]:
    """Return id and version of a prompt from its name; (None, None) when the name is a hash or empty.

    >>> named_prompt("support@12"), named_prompt("support"), named_prompt("")
    (('support', '12'), ('support', None), (None, None))
    """
    if not name or _HASH.fullmatch(name):
        return None, None
    prompt_id, at, version = name.rpartition("@")
    return (prompt_id, version) if at else (name, None)


def label_of(fields: Mapping[str, str]) -> str:
    """Return the identity as a short label; hashes are cut to six digits."""
    parts = [_part(name, value) for name, value in fields.items() if value]
    return " · ".join(parts) or "unnamed"


def _part(name: str, value: str) -> str:
    if name == "request_model":
        return f"requested {value}"
    return f"prompt {value[:6]}" if _HASH.fullmatch(value) else value


def _value(known: Mapping[str, str], name: str) -> str:
    if name not in known:
        raise ValueError(f"identity field {name!r} is unknown; known: {', '.join(IDENTITY_FIELDS)}")
    return known[name]
