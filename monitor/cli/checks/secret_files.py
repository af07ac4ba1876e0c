"""Checks the permissions of files with keys and tokens."""

import stat
from collections.abc import Mapping
from pathlib import Path

from monitor.cli.checks.line import Line, ok, warn
from monitor.config.secret_files import SecretFile, secret_files

CHECK = "secret files"
TOKEN_CHARACTERS = 20  # of a random text: too long to be guessed


def check_secret_files(config: Path, env: Mapping[str, str]) -> list[Line]:
    """Return a warning for each file that every user of the machine may read. The configuration checks existence and
    content.
    """
    files = secret_files(config, env)
    readable = [warn(CHECK, _sentence(file)) for file in files if file.path.stat().st_mode & stat.S_IROTH]
    short = [warn(CHECK, _short(file)) for file in files if _is_short(file)]
    if readable or short:
        return [*readable, *short]
    return [ok(CHECK, f"{len(files)} files, none readable by other users")] if files else []


def _sentence(file: SecretFile) -> str:
    return f"{file.key}: every user of this machine can read {file.path}; run chmod 600 {file.path}"


def _is_short(file: SecretFile) -> bool:
    """Return whether the file is an API token that is short enough to be guessed."""
    of_the_api = file.key.startswith("api.tokens")
    return of_the_api and len(file.path.read_text(encoding="utf-8").strip()) < TOKEN_CHARACTERS


def _short(file: SecretFile) -> str:
    why = f"the token has fewer than {TOKEN_CHARACTERS} characters and can be guessed"
    return f"{file.key}: {why}; create one with `openssl rand -hex 32`"
