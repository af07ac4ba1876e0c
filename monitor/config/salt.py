"""The salt of an installation: configured, or created once in a file that only its owner can read."""

import os
import secrets
from pathlib import Path

from monitor.config.redaction import RedactionConfig
from monitor.errors import ConfigError

NAME = "redaction.salt"
SALT_BYTES = 32


def read_salt(settings: RedactionConfig, database_folder: Path) -> bytes:
    """Return the salt. `database_folder` is the folder of the database.

    Raises:     ConfigError: The file cannot be created or read, or is too short.
    """
    if settings.salt is not None:
        return settings.salt.get_secret_value().encode()
    path = settings.salt_path or database_folder / NAME
    try:
        _make(path)
        salt = path.read_bytes().strip()
    except OSError as error:
        raise ConfigError(
            f"redaction.salt_path: {path} cannot be created or read: {error.strerror}; set redaction.salt"
        ) from None
    if len(salt) < SALT_BYTES:
        raise ConfigError(f"redaction.salt_path: {path} is truncated; restore the file, or remove it for a new salt")
    return salt


def _make(path: Path) -> None:
    """Create the file atomically. A second process uses the existing file."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(SALT_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()
