"""The salt of an installation: given, or made once and kept in a file that only its owner reads."""

import os
import secrets
from pathlib import Path

from monitor.config.redaction import RedactionConfig
from monitor.errors import ConfigError

NAME = "redaction.salt"
SALT_BYTES = 32


def read_salt(settings: RedactionConfig, beside: Path) -> bytes:
    """`beside` is the folder of the database. ConfigError when the file cannot be made or read, or is too short."""
    if settings.salt is not None:
        return settings.salt.get_secret_value().encode()
    path = settings.salt_path or beside / NAME
    try:
        _make(path)
        salt = path.read_bytes().strip()
    except OSError as error:
        raise ConfigError(
            f"redaction.salt_path: {path} cannot be made or read: {error.strerror}; give redaction.salt or another path"
        ) from None
    if len(salt) < SALT_BYTES:
        raise ConfigError(f"redaction.salt_path: {path} is cut off; put the old file back, or remove it for a new salt")
    return salt


def _make(path: Path) -> None:
    """Whole or not at all, and never twice: whoever comes second takes what is there."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    mine = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(SALT_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(mine, path)
    except FileExistsError:
        pass
    finally:
        mine.unlink()
