"""The credentials of a command: the API token, and the user name for the audit log."""

import getpass
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from monitor.errors import UsageError

if TYPE_CHECKING:
    from monitor.config.tree import TokenConfig

USER_HEADER = "Driftd-User"
LONGEST_NAME = 64


def user_name(given: str | None) -> str:
    """Return the name for the records: `--as NAME`, else the user of the operating system."""
    if given is not None:
        if not given.strip() or not given.isprintable() or len(given) > LONGEST_NAME:
            raise UsageError(f"--as {given!r}: use 1 to {LONGEST_NAME} printable characters")
        return given.strip()
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user in a container may have no name
        return str(os.getuid())


def headers_of(token_file: Path | None, user: str | None) -> dict[str, str]:
    """Return the headers that every request of a command carries."""
    return {USER_HEADER: quote(user_name(user)), **authorization(token_file)}


def authorization(token_file: Path | None) -> dict[str, str]:
    """Return the header with the token. Raises UsageError if the file has no token."""
    if token_file is None:
        return {}
    try:
        token = token_file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise UsageError(f"--token-file {token_file} cannot be read: {error.strerror}") from None
    if not token or not token.isascii() or not token.isprintable():
        raise UsageError(
            f"--token-file {token_file} has no valid token; it must be one line of printable ASCII characters"
        )
    return {"Authorization": f"Bearer {token}"}


def owner(token: str, user: str | None) -> "TokenConfig":
    """Return a token with every role for the user who can open the file, under their name."""
    from monitor.config.tree import Role, TokenConfig

    digest = hashlib.sha256(token.encode()).hexdigest()
    name = f"{user_name(user)} at the file"
    return TokenConfig.model_construct(name=name, sha256=digest, roles=(Role.ADMIN, Role.REVEAL))
