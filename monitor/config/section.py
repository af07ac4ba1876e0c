"""The base of every section of the configuration: strict, frozen, with `*_file` keys."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
"""A name for URLs, logs and alerts: letters, digits, `_`, `.` and `-`, at most 64 characters."""

HttpUrl = Annotated[str, StringConstraints(pattern=r"^https?://\S+$")]


def why(reason: str) -> dict[str, Any]:
    """Return the `json_schema_extra` of a field: the reason for its default or for the key."""
    return {"reason": reason}


def fault(key: str, message: str) -> PydanticCustomError:
    """Return an error of one key of the section. monitor/config/explain.py adds the key to its path."""
    return PydanticCustomError("driftd_key", "{message}", {"message": message, "key": key})


def folder_of(info: ValidationInfo) -> Path:
    """Return the folder of relative paths: that of the configuration file, else the working directory."""
    context = info.context or {}
    folder: Path = context.get("folder", Path())
    return folder


def sha256_hex(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKey:
    """`<key>_file` names a file; its stripped and converted text becomes the value of `key`."""

    key: str
    convert: Callable[[str], str] = str


class Section(BaseModel):
    """Base class of all sections. An unknown key is an error. Values do not change after loading."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        validate_default=True,
        hide_input_in_errors=True,
        defer_build=True,  # a section inside another one is built with it
    )

    FILES: ClassVar[Mapping[str, FileKey]] = {}

    @model_validator(mode="before")
    @classmethod
    def _read_files(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, Mapping):
            return data
        values = dict(data)
        for file_key, target in cls.FILES.items():
            name = values.get(file_key)
            if isinstance(name, str | Path):
                if values.get(target.key) is not None:
                    raise fault(file_key, f"give {target.key} or {file_key}, not both")
                values[target.key] = target.convert(_read_text(file_key, folder_of(info) / name))
                del values[file_key]
        return values


def _read_text(key: str, path: Path) -> str:
    """Return the text of the file without surrounding whitespace. It must not be empty."""
    try:
        text = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise fault(key, f"file {path} does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise fault(
            key, f"file {path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}"
        ) from None
    if not text:
        raise fault(key, f"file {path} is empty")
    return text
