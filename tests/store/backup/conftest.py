from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.store.backup.backups import Backups
from monitor.store.engine.file_store import FileStore
from tests.store.backup.exporting import filled
from tests.store.build import HandClock


@pytest.fixture
def exports(store: FileStore, tmp_path: Path, clock: HandClock) -> Iterator[Backups]:
    with filled(store, tmp_path / "copy", clock) as made:
        yield made
