"""Where a backup or an export is received: a new folder or tar file, or one that an interrupted transfer left."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from monitor.errors import UsageError
from monitor.store.backup import manifest as manifests
from monitor.store.backup.layout import PARTIAL, Folder, Layout, Tar, partial_manifest, read_tar_manifest, write_private
from monitor.store.backup.manifest import BackupDamaged, Manifest
from monitor.store.engine.compact_files import sync


class Destination(Protocol):
    """Receives one backup. Nothing has its final name until it is complete."""

    def begun(self) -> Manifest | None:
        """Return the manifest of an incomplete backup here, None when the place is free.

        Raises UsageError when something else is there.
        """
        ...

    def begin(self, manifest: Manifest) -> Layout:
        """Return the places of the files. It continues the same backup, and replaces another incomplete one."""
        ...

    def finish(self, manifest: Manifest) -> None:
        """Give the complete backup its name."""
        ...


def destination_of(path: Path) -> Destination:
    """Return a tar file for a name that ends with .tar, else a folder."""
    return TarDestination(path) if path.suffix == ".tar" else FolderDestination(path)


class FolderDestination:
    def __init__(self, root: Path) -> None:
        self._root, self._partial = root, partial_manifest(root)

    def begun(self) -> Manifest | None:
        if not self._root.exists():
            return None
        if not self._root.is_dir():
            raise UsageError(f"{self._root} is not a folder; name a folder, or a file that ends with .tar")
        if (self._root / manifests.NAME).exists():
            raise UsageError(f"{self._root} contains a complete backup or export; name another folder")
        if not self._partial.exists():
            if any(self._root.iterdir()):
                raise UsageError(f"{self._root} is not empty; name a new folder")
            return None
        with suppress(BackupDamaged):  # the process was killed while it wrote the manifest
            return manifests.parse(self._partial.read_text(encoding="utf-8", errors="replace"), self._partial)
        return None

    def begin(self, manifest: Manifest) -> Layout:
        old = self.begun()
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        if old is not None and old.id != manifest.id:
            for file in old.files:
                (self._root / file.name).unlink(missing_ok=True)
        write_private(self._partial, manifest.as_json())
        return Folder(self._root)

    def finish(self, manifest: Manifest) -> None:
        for file in manifest.files:
            os.truncate(self._root / file.name, file.bytes)
        self._partial.replace(self._root / manifests.NAME)
        sync(self._root)


class TarDestination:
    def __init__(self, path: Path) -> None:
        self._path, self._partial = path, path.with_name(path.name + PARTIAL)

    def begun(self) -> Manifest | None:
        if self._path.exists():
            raise UsageError(f"{self._path} exists already; name another file")
        if not self._partial.exists():
            return None
        with suppress(BackupDamaged):
            return read_tar_manifest(self._partial)
        return None

    def begin(self, manifest: Manifest) -> Layout:
        old = self.begun()
        if old is None or old.id != manifest.id:
            self._partial.unlink(missing_ok=True)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._partial.touch(mode=0o600)
        layout = Tar(self._partial, manifest)
        layout.write_headers()
        return layout

    def finish(self, manifest: Manifest) -> None:
        del manifest
        sync(self._partial)
        self._partial.replace(self._path)
        sync(self._path.parent)
