"""From a file and the environment to `Config`. Nobody else reads either."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from monitor.config.explain import explain
from monitor.config.section import sha256_hex
from monitor.config.strict_yaml import parse
from monitor.config.substitute import substitute
from monitor.config.tree import Config
from monitor.errors import ConfigError


def load(path: Path, env: Mapping[str, str]) -> Config:
    """The settings in `path`. ConfigError lists every problem, one sentence a line."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: the configuration file does not exist; write one (docs/config.md) or name it with --config"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: the configuration file cannot be read: {_reason(error)}") from None
    config = from_mapping(parse(text, path.name), env=env, folder=path.absolute().parent, where=path.name)
    return config.from_file(path.resolve(), sha256_hex(text))


def from_mapping(data: Mapping[str, Any], *, env: Mapping[str, str], folder: Path, where: str) -> Config:
    """The settings in `data`; relative paths start at `folder`, `where` is how errors call their source."""
    filled = substitute(data, env)
    if filled.problems:
        raise _config_error(where, filled.problems)
    try:
        return Config.model_validate(filled.data, context={"folder": folder})
    except ValidationError as error:
        problems = explain(error, root=Config, data=filled.data, secret=filled.secret)
        raise _config_error(where, problems) from None


def _config_error(where: str, problems: Any) -> ConfigError:
    return ConfigError("\n".join(f"{where}: {problem}" for problem in problems))


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8 text"
