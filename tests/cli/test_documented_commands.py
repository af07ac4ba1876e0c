"""The commands of the page on backups run as they are printed, in order.

Only the machine differs: folders of the system are folders of the test.
"""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.app.test_full_disk import record
from tests.docs.markdown import ROOT, read
from tests.docs.shell import Shell
from tests.kills.process import Daemon

pytestmark = pytest.mark.timeout(600)


def lines_of(page: str) -> list[str]:
    return [line for line in read(ROOT / "docs" / page).shell if line]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    with Daemon(folder=tmp_path / "daemon", model_url="http://127.0.0.1:9/v1") as found:
        found.start()
        found.wait_ready()
        httpx.post(f"{found.api}/api/v1/interactions", json=[record("one"), record("two")]).raise_for_status()
        yield found


def test_the_commands_about_backups_run_in_order(daemon: Daemon, tmp_path: Path) -> None:
    shell, lines = Shell(daemon.folder), lines_of("backup.md")
    assert len(lines) >= 9
    said = {}
    for number, line in enumerate(lines):
        here = line.replace("/backups/", f"{tmp_path}/backups/").replace("/exports/", f"{tmp_path}/exports/")
        said[line] = shell.run(here.replace("/var/lib/driftd/data", f"{tmp_path}/new-{number}"))
    created = list(tmp_path.glob("new-*/*.duckdb"))
    assert len(created) == 2, "one of a restore, one of an import"
    assert any("every byte is as it was written" in text for text in said.values())
