"""The folder in which files wait for their import. A file in it belongs to one import and does not change."""

import errno
import hashlib
import shutil
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from monitor.errors import StoreUnavailable


class Spool:
    """One folder for each import, readable for this user only: results may quote private sets."""

    def __init__(self, folder: Path, *, require_space: Callable[[], None] = lambda: None) -> None:
        """`require_space` raises while the disk has no space for new files."""
        self.folder, self._require_space = folder, require_space
        self._lock = threading.Lock()  # protects the set of folders that this process fills
        self._filling: set[str] = set()

    def of(self, import_id: str) -> Path:
        """Return the folder of an import."""
        return self.folder / import_id

    @contextmanager
    def filling(self, import_id: str) -> Iterator[Path]:
        """Yield the new folder of an import. It is removed when the block raises. A full disk is StoreUnavailable."""
        self._require_space()
        folder = self.of(import_id)
        with self._lock:
            self._filling.add(import_id)
        try:
            folder.mkdir(parents=True, mode=0o700)
            yield folder
        except OSError as error:
            self.remove(import_id)
            if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS}:
                raise StoreUnavailable(f"{self.folder} cannot be written: {error.strerror}; free some space") from error
            raise
        except BaseException:
            self.remove(import_id)
            raise
        finally:
            with self._lock:
                self._filling.discard(import_id)

    def remove(self, import_id: str) -> None:
        """Remove the files of an import."""
        shutil.rmtree(self.of(import_id), ignore_errors=True)

    def sweep(self, kept: Collection[str]) -> int:
        """Remove what a killed process left behind: every folder without an open import. Return how many."""
        if not self.folder.is_dir():
            return 0
        with self._lock:
            busy = self._filling | set(kept)
        left = [each.name for each in self.folder.iterdir() if each.name not in busy]
        for name in left:
            self.remove(name)
        return len(left)


def digest_of(digests: Collection[str]) -> str:
    """Return the digest of the contents of several files, in any order and with any names."""
    if len(digests) == 1:
        return next(iter(digests))
    return hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()
