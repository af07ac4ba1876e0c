"""The files that contain the secrets of a configuration. `driftd check` examines their permissions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitor.config.strict_yaml import parse
from monitor.config.substitute import KeyPath, dotted, substitute

SECRET_FILE_KEYS = frozenset(
    {
        "api_key_file",
        "bearer_token_file",
        "certificate_password_file",
        "client_secret_file",
        "key_file",
        "otlp_headers_file",
        "password_file",
        "routing_key_file",
        "salt_file",
        "secret_access_key_file",
        "token_file",
        "service_urls_file",
        "session_token_file",
        "signing_secret_file",
        "url_file",
        "webhook_secret_file",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretFile:
    """A file with a secret. `key` is its path in the configuration."""

    key: str
    path: Path


def secret_files(config: Path, env: Mapping[str, str]) -> list[SecretFile]:
    """Return the files from which a valid configuration reads secrets, in its order."""
    tree = substitute(parse(config.read_text(encoding="utf-8"), config.name), env).data
    folder = config.absolute().parent
    return [SecretFile(key=dotted(path), path=folder / name) for path, name in _named(tree, ())]


def _named(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if key in SECRET_FILE_KEYS and isinstance(item, str):
            yield (*path, key), item
        else:
            yield from _named(item, (*path, key))
