"""The files that hold keys and tokens: nobody else reads them."""

import stat
from collections.abc import Mapping
from pathlib import Path

from monitor.cli.checks.line import Line, ok, warn
from monitor.config.secret_files import SecretFile, secret_files

CHECK = "secret files"
TOKEN_CHARACTERS = 20  # of a random text: more than can be guessed, whatever the rate


def check_secret_files(config: Path, env: Mapping[str, str]) -> list[Line]:
    """A warning for each file that every user of the machine may read; that they exist and hold a value is config's."""
    files = secret_files(config, env)
    readable = [warn(CHECK, _sentence(file)) for file in files if file.path.stat().st_mode & stat.S_IROTH]
    short = [warn(CHECK, _short(file)) for file in files if _is_short(file)]
    if readable or short:
        return [*readable, *short]
    return [ok(CHECK, f"{len(files)} of them, and none is readable by every user of this machine")] if files else []


def _sentence(file: SecretFile) -> str:
    return f"{file.key}: every user of this machine may read {file.path}; chmod 600 keeps it to yourself"


def _is_short(file: SecretFile) -> bool:
    """Whether it is a token of the API that can be guessed."""
    of_the_api = file.key.startswith("api.tokens")
    return of_the_api and len(file.path.read_text(encoding="utf-8").strip()) < TOKEN_CHARACTERS


def _short(file: SecretFile) -> str:
    why = f"the token has fewer than {TOKEN_CHARACTERS} characters and can be guessed"
    return f"{file.key}: {why}; make one with `openssl rand -hex 32`"
