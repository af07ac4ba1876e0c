"""Copies the chunks of a backup from one place to another. An interrupted transfer continues with the missing ones."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from monitor.store.backup.layout import Layout
from monitor.store.backup.manifest import BackupDamaged, Chunk, Manifest

Fetch = Callable[[Chunk], bytes]


def read_chunk(layout: Layout, chunk: Chunk) -> bytes:
    """Return the bytes of a chunk. Raises BackupDamaged when they are missing or differ from its SHA-256."""
    path, start = layout.locate(chunk.file)
    content = _read(path, start + chunk.offset, chunk.bytes)
    if not is_intact(content, chunk):
        end = chunk.offset + chunk.bytes
        reason = "is missing or was changed" if path.exists() else "is missing"
        raise BackupDamaged(f"{path}: bytes {chunk.offset} to {end} of {chunk.file}: the content {reason}")
    return content


def demand_lengths(manifest: Manifest, layout: Layout) -> None:
    """Raise BackupDamaged when a file is missing, or a file of its own has bytes after its end."""
    for file in manifest.files:
        path, start = layout.locate(file.name)
        if not path.exists():
            raise BackupDamaged(f"{path}: the content is missing")
        if path.name == file.name and path.stat().st_size != start + file.bytes:
            raise BackupDamaged(f"{path} has {path.stat().st_size} bytes instead of {file.bytes}")


def is_intact(content: bytes, chunk: Chunk) -> bool:
    return len(content) == chunk.bytes and hashlib.sha256(content).hexdigest() == chunk.sha256


def transfer(manifest: Manifest, target: Layout, fetch: Fetch, progress: Callable[[int], None]) -> int:
    """Store every chunk at `target` that is not there. Return the number of chunks that were there already.

    `progress` receives the number of bytes stored so far. `fetch` returns the content of a chunk; content that does
    not match its SHA-256 raises BackupDamaged and is not stored.
    """
    kept = done = 0
    for file in manifest.files:  # an empty file has no chunk
        with _opened(target.locate(file.name)[0]):
            pass
    for chunk in manifest.chunks():
        path, start = target.locate(chunk.file)
        if is_intact(_read(path, start + chunk.offset, chunk.bytes), chunk):
            kept += 1
        else:
            content = fetch(chunk)
            if not is_intact(content, chunk):
                raise BackupDamaged(f"chunk {chunk.number} ({chunk.file}) arrived with another SHA-256; try again")
            with _opened(path) as descriptor:
                _write(descriptor, content, start + chunk.offset)
                os.fsync(descriptor)
        done += chunk.bytes
        progress(done)
    return kept


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _read(path: Path, offset: int, size: int) -> bytes:
    try:
        with path.open("rb") as content:
            content.seek(offset)
            return content.read(size)
    except FileNotFoundError:
        return b""


def _write(descriptor: int, content: bytes, offset: int) -> None:
    view = memoryview(content)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written
