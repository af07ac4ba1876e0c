"""Where the key of a sealed set comes from: a text, a file, or a command that asks a key service."""

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
    """A key that a set was sealed with before, for as long as something is sealed with it."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"key_file": FileKey(key="key")}

    key: SecretStr | None = Field(
        default=None,
        description="Key that seals a frozen set, as `driftd sets key` writes it; best as ${ENV}.",
        json_schema_extra=why("a private set is encrypted at rest"),
    )
    key_file: Path | None = Field(
        default=None,
        description="File that holds the key.",
        json_schema_extra=why("mounted secrets of an orchestrator are files"),
    )
    key_command: tuple[str, ...] = Field(
        default=(),
        description="Command that prints the key, with its arguments and without a shell; it runs at each start.",
        json_schema_extra=why("a key service may keep keys that never lie in a file"),
    )

    @property
    def has_key(self) -> bool:
        """Whether any source is named."""
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
    """The 32 bytes; the command is run now. What it prints is in no message: it may be a key."""
    if section.key is not None:
        return load_key(section.key.get_secret_value())
    program = section.key_command[0]
    try:
        done = subprocess.run(  # noqa: S603 - the command is the configuration's, and no shell reads it
            section.key_command, capture_output=True, check=False, timeout=COMMAND_TIMEOUT_S, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise ConfigError(f"{where}.key_command: {program} cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise ConfigError(f"{where}.key_command: {program} did not end in {COMMAND_TIMEOUT_S:.0f} s") from None
    if done.returncode != 0:
        raise ConfigError(
            f"{where}.key_command: {program} left with {done.returncode}; run it by hand to see what it says"
        )
    try:
        return load_key(done.stdout)
    except ReplayError as error:
        raise ConfigError(f"{where}.key_command: what {program} printed is no key: {error}") from None
