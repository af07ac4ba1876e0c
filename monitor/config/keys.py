"""The key of a sealed set: a text, a file, or the output of a command."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field, SecretStr, field_validator, model_validator

from monitor.config.section import FileKey, Section, fault, why
from monitor.errors import ConfigError
from replay.errors import ReplayError
from replay.evalsets.sealing import load_key

COMMAND_TIMEOUT_S = 30.0


class KeyConfig(Section):
    """An earlier key of a set. It stays configured until nothing is sealed with it."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"key_file": FileKey(key="key")}

    key: SecretStr | None = Field(
        default=None,
        description="Key that seals a frozen set, from `driftd sets key`; use ${ENV}.",
        json_schema_extra=why("private sets are encrypted at rest"),
    )
    key_file: Path | None = Field(
        default=None,
        description="File with the key.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    key_command: tuple[str, ...] = Field(
        default=(),
        description="Command that prints the key, with its arguments and without a shell; it runs at each start.",
        json_schema_extra=why("a key service can provide keys that are never stored in a file"),
    )

    @property
    def has_key(self) -> bool:
        """Return whether a source of the key is configured."""
        return self.key is not None or bool(self.key_command)

    @field_validator("key")
    @classmethod
    def _is_a_key(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None:
            try:
                load_key(key.get_secret_value())
            except ReplayError as error:
                raise ValueError(str(error)) from None
        return key

    @model_validator(mode="after")
    def _has_one_source(self) -> "KeyConfig":
        if self.key is not None and self.key_command:
            raise fault("key_command", "give key, key_file or key_command, not two of them")
        return self


def read_key(section: KeyConfig, where: str) -> bytes:
    """Return the 32 bytes of the key. A configured command runs now; errors never include its output, which may be a
    key.
    """
    if section.key is not None:
        return load_key(section.key.get_secret_value())
    program = section.key_command[0]
    try:
        done = subprocess.run(  # noqa: S603 - the command is from the configuration, and no shell interprets it
            section.key_command, capture_output=True, check=False, timeout=COMMAND_TIMEOUT_S, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise ConfigError(f"{where}.key_command: {program} cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise ConfigError(f"{where}.key_command: {program} did not end in {COMMAND_TIMEOUT_S:.0f} s") from None
    if done.returncode != 0:
        raise ConfigError(
            f"{where}.key_command: {program} exited with {done.returncode}; run it in a terminal to see its errors"
        )
    try:
        return load_key(done.stdout)
    except ReplayError as error:
        raise ConfigError(f"{where}.key_command: the output of {program} is not a key: {error}") from None
