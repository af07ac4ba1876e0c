"""Where the files of a backup are: in a folder, or in one tar file."""

import os
import tarfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from monitor.errors import NotFound
from monitor.store.backup import manifest as manifests
from monitor.store.backup.manifest import BackupDamaged, Manifest
from monitor.store.engine.compact_files import sync

PARTIAL: Final = ".partial"  # the end of the name of a tar file, and of the manifest in a folder, until it is complete
BLOCK: Final = tarfile.BLOCKSIZE
MANIFEST_BYTES: Final = 2**28  # more than the chunks of 10 TB need


class Layout(Protocol):
    """The place of each file of a backup."""

    def locate(self, name: str) -> tuple[Path, int]:
        """Return the path that contains a file, and the offset at which it starts there."""
        ...


class Folder:
    """Each file of the backup is a file of a folder, with `suffix` after its name."""

    def __init__(self, root: Path, suffix: str = "") -> None:
        self._root, self._suffix = root, suffix

    def locate(self, name: str) -> tuple[Path, int]:
        return self._root / (name + self._suffix), 0


class Tar:
    """The files are in a tar file (USTAR), after the manifest. Their offsets follow from the manifest."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self._path = path
        text = manifest.as_json().encode()
        self._headers = {0: _header(manifests.NAME, len(text)) + text.ljust(_padded(len(text)), b"\0")}
        self._offsets: dict[str, int] = {}
        end = BLOCK + _padded(len(text))
        for file in manifest.files:
            self._headers[end] = _header(file.name, file.bytes)
            self._offsets[file.name] = start = end + BLOCK
            end = start + _padded(file.bytes)
            self._headers[start + file.bytes] = bytes(end - start - file.bytes)
        self._headers[end] = self._headers.get(end, b"") + bytes(2 * BLOCK)  # the end of a tar file
        self.bytes = end + 2 * BLOCK

    def locate(self, name: str) -> tuple[Path, int]:
        return self._path, self._offsets[name]

    def write_headers(self) -> None:
        """Write everything but the content of the files, and set the length of the tar file."""
        with self._path.open("r+b") as tar:
            tar.truncate(self.bytes)
            for offset, content in self._headers.items():
                tar.seek(offset)
                tar.write(content)

    def headers(self) -> Mapping[int, bytes]:
        """Return the bytes between the files, by offset."""
        return self._headers


def open_backup(path: Path) -> tuple[Manifest, Layout]:
    """Return the manifest of a complete backup at `path`, and the places of its files.

    Raises NotFound when there is none, BackupDamaged when it is incomplete or its manifest was changed.
    """
    if path.is_dir():
        place = path / manifests.NAME
        if not place.exists():
            if partial_manifest(path).exists():
                raise BackupDamaged(f"{path} contains an incomplete backup; run the command that wrote it again")
            raise NotFound(f"{path} contains no backup: it has no {manifests.NAME}")
        return manifests.parse(_text(place), place), Folder(path)
    if not path.exists():
        partial = path.with_name(path.name + PARTIAL)
        hint = f"; {partial.name} is incomplete, so run the command that wrote it again" if partial.exists() else ""
        raise NotFound(f"there is no backup at {path}{hint}")
    manifest = read_tar_manifest(path)
    if manifest is None:
        raise BackupDamaged(f"{path} is not a backup: it is no folder, and no tar file with a {manifests.NAME}")
    layout = Tar(path, manifest)
    _demand_headers(path, layout)
    return manifest, layout


def partial_manifest(folder: Path) -> Path:
    """Return the path of the manifest in a folder until the backup is complete."""
    return folder / (manifests.NAME + PARTIAL)


def read_tar_manifest(path: Path) -> Manifest | None:
    """Return the manifest of a tar file; None when it does not start with one. Raises BackupDamaged when it changed."""
    with path.open("rb") as tar:
        try:
            found = tarfile.TarInfo.frombuf(tar.read(BLOCK), "ascii", "strict")
        except (tarfile.HeaderError, UnicodeDecodeError):
            return None
        if found.name != manifests.NAME or found.size > MANIFEST_BYTES:
            return None
        return manifests.parse(tar.read(found.size).decode("utf-8", "replace"), path)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, and sync it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    sync(path.parent)


def _demand_headers(path: Path, layout: Tar) -> None:
    """Raise BackupDamaged when a byte outside the files of the tar changed, or the tar file has another length."""
    if path.stat().st_size != layout.bytes:
        raise BackupDamaged(f"{path} has {path.stat().st_size} bytes instead of {layout.bytes}")
    with path.open("rb") as tar:
        for offset, content in layout.headers().items():
            tar.seek(offset)
            if tar.read(len(content)) != content:
                raise BackupDamaged(f"{path} was changed in the tar header at byte {offset}")


def _text(path: Path) -> str:
    with suppress(UnicodeDecodeError):
        return path.read_text(encoding="utf-8")
    raise BackupDamaged(f"{path} was changed: it is no text")


def _header(name: str, size: int) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    return entry.tobuf(tarfile.GNU_FORMAT)


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK
