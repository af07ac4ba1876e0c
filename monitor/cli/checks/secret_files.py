"""The files that hold keys and tokens: nobody else reads them."""

import stat
from collections.abc import Mapping
from pathlib import Path

from monitor.cli.checks.line import Line, ok, warn
from monitor.config.secret_files import SecretFile, secret_files

CHECK = "secret files"


def check_secret_files(config: Path, env: Mapping[str, str]) -> list[Line]:
    """A warning for each file that every user of the machine may read; that they exist and hold a value is config's."""
    files = secret_files(config, env)
    readable = [file for file in files if file.path.stat().st_mode & stat.S_IROTH]
    if readable:
        return [warn(CHECK, _sentence(file)) for file in readable]
    return [ok(CHECK, f"{len(files)} of them, and none is readable by every user of this machine")] if files else []


def _sentence(file: SecretFile) -> str:
    return f"{file.key}: every user of this machine may read {file.path}; chmod 600 keeps it to yourself"
