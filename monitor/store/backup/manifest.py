"""The manifest of a backup or an export: what it contains, and the SHA-256 of every chunk of every file."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any, Final

from monitor.errors import Permanent

FORMAT: Final = 1
NAME: Final = "manifest.json"
CHUNK_BYTES: Final = 16 * 2**20  # what a transfer holds in memory, and repeats after an interruption
DATABASE: Final = "database"
PARQUET: Final = "parquet"


class BackupDamaged(Permanent):
    """A backup or an export is not as it was written. The message names the file and the place."""

    code = "backup_damaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file with its SHA-256, and the SHA-256 of each chunk of `CHUNK_BYTES`; the last chunk may be shorter."""

    name: str
    bytes: int
    sha256: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A chunk of a file. `number` counts the chunks of all files, from 0."""

    number: int
    file: str
    offset: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a backup or an export contains.

    `tables` is the number of rows by table, `audit_head` the newest entry of the audit log as NUMBER:HASH, and
    `sha256` the SHA-256 of all other fields. An export also has `since` and whether its sealed texts are `revealed`.
    """

    id: str
    kind: str
    created_at: datetime
    driftd: str
    duckdb: str
    schema_version: int
    audit_head: str
    tables: Mapping[str, int]
    files: tuple[StoredFile, ...]
    since: datetime | None = None
    revealed: bool = False
    chunk_bytes: int = CHUNK_BYTES
    format: int = FORMAT
    sha256: str = ""

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks of all files, in order."""
        number = 0
        for file in self.files:
            for n, digest in enumerate(file.chunks):
                offset = n * self.chunk_bytes
                yield Chunk(
                    number=number,
                    file=file.name,
                    offset=offset,
                    bytes=min(self.chunk_bytes, file.bytes - offset),
                    sha256=digest,
                )
                number += 1

    def sealed(self) -> "Manifest":
        """Return the manifest with its own SHA-256."""
        return replace(self, sha256=_digest(self))

    def as_json(self) -> str:
        """Return the document of the manifest."""
        return json.dumps(_document(self), indent=1) + "\n"


def parse(text: str, where: object) -> Manifest:
    """Return the manifest of a document. Raises BackupDamaged when it was changed or is not a manifest."""
    try:
        found = json.loads(text)
        if found["format"] != FORMAT:
            raise Permanent(f"{where} has the format {found['format']}; this driftd reads {FORMAT}")
        manifest = _manifest(found)
        whole = manifest.sha256 == _digest(manifest) and all(_is_plain(file.name) for file in manifest.files)
    except (ValueError, KeyError, TypeError) as error:
        raise BackupDamaged(f"{where} is not the manifest of a backup: {type(error).__name__}: {error}") from None
    if not whole:
        raise BackupDamaged(f"{where} was changed: its SHA-256 does not match; use another backup")
    return manifest


def describe(folder: Path, names: Iterable[str], chunk_bytes: int = CHUNK_BYTES) -> tuple[StoredFile, ...]:
    """Return the files of a folder with their digests."""
    return tuple(_describe(folder / name, chunk_bytes) for name in names)


def _describe(path: Path, chunk_bytes: int) -> StoredFile:
    whole, chunks, total = hashlib.sha256(), list[str](), 0
    with path.open("rb") as content:
        while chunk := content.read(chunk_bytes):
            whole.update(chunk)
            chunks.append(hashlib.sha256(chunk).hexdigest())
            total += len(chunk)
    return StoredFile(name=path.name, bytes=total, sha256=whole.hexdigest(), chunks=tuple(chunks))


def _document(manifest: Manifest) -> dict[str, Any]:
    since = manifest.since and manifest.since.isoformat()
    return asdict(manifest) | {"created_at": manifest.created_at.isoformat(), "since": since}


def _manifest(found: dict[str, Any]) -> Manifest:
    files = tuple(StoredFile(**file | {"chunks": tuple(file["chunks"])}) for file in found["files"])
    since = found["since"] and datetime.fromisoformat(found["since"])
    return Manifest(
        **found | {"files": files, "created_at": datetime.fromisoformat(found["created_at"]), "since": since}
    )


def _digest(manifest: Manifest) -> str:
    document = _document(replace(manifest, sha256=""))
    return hashlib.sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _is_plain(name: str) -> bool:
    """Return whether a name stays in its folder."""
    return PurePath(name).name == name
