"""`driftd db backup`, `restore` and `verify` against daemon processes that ingest and are killed."""

import json
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Self

import httpx
import pytest
import yaml

from monitor.errors import NotFound
from monitor.store.backup.layout import open_backup, partial_manifest
from monitor.store.backup.manifest import BackupDamaged
from tests.cli.conftest import Run
from tests.cli.house import running_model, write_house
from tests.cli.test_serve import DRIFTD, PATIENCE_S, start, url_of, wait_until_ready
from tests.ports import free_port

CALLS = 32  # of 800 kB of random text: the backup has more than one chunk
COPY = "driftd.duckdb.backup"
LISTS = ("sets", "runs", "findings", "alerts", "versions", "changes", "losses", "dead_letters", "compactions", "cases")


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Path]:
    with running_model() as model:
        (tmp_path / "house").mkdir()
        yield write_house(tmp_path / "house", model_url=model.url, api_port=free_port())


@contextmanager
def serving(config: Path) -> Iterator["subprocess.Popen[str]"]:
    process = start(config, "--log-level", "warning")
    wait_until_ready(url_of(config), process)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)


class Sender:
    """Sends calls one after another, and keeps the ids of those that were acknowledged."""

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=PATIENCE_S)
        self._stop, self._number = threading.Event(), 0
        self.sent: list[str] = []
        self.acknowledged: list[str] = []
        self._thread = threading.Thread(target=self._run)

    def send(self, text: str) -> None:
        self._number += 1
        call: dict[str, object] = {"id": f"call-{self._number}", "deployment": "support"}
        call |= {"started_at": "2026-11-20T10:00:00Z"}
        call |= {"response": {"model": "gpt-4", "messages": [{"role": "assistant", "content": text}]}}
        self.sent.append(f"call-{self._number}")
        if self._http.post("/api/v1/interactions", json=call).status_code == 200:
            self.acknowledged.append(f"call-{self._number}")

    def send_long(self, seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(CALLS):
            self.send(rng.randbytes(400_000).hex())

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.close()

    def close(self) -> None:
        self._http.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            self.send("short")


def command(*arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen([*DRIFTD, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def killed_when(process: "subprocess.Popen[str]", ready: Callable[[], bool]) -> bool:
    """Kill the process as soon as `ready`. Return False when the process ended before."""
    while process.poll() is None and not ready():
        time.sleep(0.001)
    running = process.poll() is None
    process.kill()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert running or process.returncode == 0, err
    return running


def has_bytes(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def calls(url: str) -> dict[str, object]:
    found: dict[str, object] = {}
    parameters: dict[str, str] = {"limit": "50"}
    with httpx.Client(base_url=url, timeout=PATIENCE_S) as http:
        while True:
            page = http.get("/api/v1/interactions", params=parameters).json()
            found |= {item["id"]: item for item in page["items"]}
            if page["next_cursor"] is None:
                return found
            parameters["cursor"] = page["next_cursor"]


def lists(url: str) -> dict[str, object]:
    parameters = {"cases": {"set_name": "primes"}}
    return {
        name: httpx.get(f"{url}/api/v1/{name}", params=parameters.get(name), timeout=PATIENCE_S).json()
        for name in LISTS
    }


def restored_config(config: Path, restored: Path) -> Path:
    document = yaml.safe_load(config.read_text())
    document["store"] = {"path": str(restored / "driftd.duckdb")}
    document["api"]["port"] = free_port()
    other = config.parent / "restored.yaml"
    other.write_text(yaml.safe_dump(document))
    return other


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["backup", "backup.tar"])
def test_a_backup_under_live_ingest_that_is_killed_is_continued_and_restored_elsewhere(
    config: Path, run: Run, tmp_path: Path, name: str
) -> None:
    url, backup, empty, data = url_of(config), tmp_path / name, tmp_path / "empty", config.parent / "data"
    receiving = backup / "driftd.duckdb" if name == "backup" else tmp_path / "backup.tar.partial"
    with serving(config):
        assert run("sets", "import", "primes", config.parent / "primes.jsonl", "--config", config).code == 0
        sender = Sender(url)
        sender.send_long(1)
        before = set(sender.acknowledged)
        assert len(before) == CALLS
        with sender:
            copying = killed_when(command("db", "backup", backup, "--config", config), (data / COPY).exists)
            assert copying, "the copy is not made in a millisecond"
            done = not killed_when(command("db", "backup", backup, "--config", config), lambda: has_bytes(receiving))
            if not done:
                with pytest.raises((BackupDamaged, NotFound), match="incomplete"):
                    open_backup(backup)
                ended = command("db", "backup", backup, "--config", config)
                out, err = ended.communicate(timeout=PATIENCE_S)
                assert (ended.returncode, out[: len(f"wrote {backup}: ")]) == (0, f"wrote {backup}: "), err
                assert "continues" in err
            until = set(sender.sent)
        assert list(data.glob(f"{COPY}/*")) == [], "the copy is removed"
        original, static = calls(url), lists(url)
    manifest, _ = open_backup(backup)
    assert len(list(manifest.chunks())) > 2
    assert run("db", "verify", backup).out == f"{backup}: ok: every byte is as it was written\n"
    other = restored_config(config, empty)
    if killed_when(
        command("db", "restore", backup, "--into", empty), lambda: has_bytes(empty / "driftd.duckdb.restoring")
    ):
        refused = command("serve", "--config", other)
        _, err = refused.communicate(timeout=PATIENCE_S)
        assert (refused.returncode, "is not complete" in err) == (2, True)
        assert run("db", "restore", backup, "--into", empty).code == 0
    with serving(other):
        restored = calls(url_of(other))
        assert lists(url_of(other)) == static
        audit = run("db", "verify", "--config", other)
        assert (audit.code, audit.out[:4]) == (0, "ok: ")
    assert before <= restored.keys() <= until
    assert restored == {id_: original[id_] for id_ in restored}
    numbers = sorted(int(id_.removeprefix("call-")) for id_ in restored)
    assert numbers == list(range(1, len(numbers) + 1)), "a snapshot ends at one commit"


def test_a_daemon_that_is_killed_during_a_backup_leaves_nothing_and_the_next_one_begins_again(
    config: Path, run: Run, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    with serving(config) as process:
        with closing(Sender(url_of(config))) as sender:
            sender.send_long(2)
        ordered = httpx.post(f"{url_of(config)}/api/v1/backups", json={}).json()["id"]
        process.kill()
    killed = run("db", "backup", backup, "--url", url_of(config))
    assert (killed.code, "no daemon answers" in killed.err) == (2, True)
    with serving(config) as process:
        assert list((config.parent / "data").glob(COPY)) == []
        assert httpx.get(f"{url_of(config)}/api/v1/backups/{ordered}").status_code == 404
        waiting = command("db", "backup", backup, "--config", config)
        while not partial_manifest(backup).exists() and waiting.poll() is None:
            time.sleep(0.01)
        process.kill()
        _, err = waiting.communicate(timeout=PATIENCE_S)
    if waiting.returncode != 0:  # the daemon was faster than the kill otherwise
        assert (waiting.returncode, len(err.splitlines())) == (1, 1)
        assert run("db", "verify", backup).code == 1
    with serving(config):
        done = run("db", "backup", backup if waiting.returncode else tmp_path / "second", "--config", config)
        assert done.code == 0
        assert waiting.returncode == 0 or "the backup begins again" in done.err
    assert run("db", "verify", backup).code == 0


def test_without_a_daemon_the_command_copies_the_file_itself(config: Path, run: Run, tmp_path: Path) -> None:
    record = {"type": "interaction", "id": "a", "deployment": "support", "started_at": "2026-11-20T10:00:00Z"}
    (tmp_path / "log.jsonl").write_text(json.dumps(record))
    assert run("ingest", tmp_path / "log.jsonl", "--config", config).code == 0
    done = run("db", "backup", tmp_path / "backup", "--config", config, "--json")
    assert (done.code, done.document["manifest"]["tables"]["interaction"]) == (0, 1)
    assert sorted(file.name for file in (tmp_path / "backup").iterdir()) == [
        "driftd.duckdb",
        "driftd.duckdb.mark",
        "manifest.json",
    ]
    exports = run("db", "audit-list", "--kind", "export", "--config", config, "--json").document["items"]
    assert [entry["operation"] for entry in exports] == ["POST /api/v1/backups"]
    refused = run("db", "restore", tmp_path / "backup", "--into", config.parent / "data")
    assert (refused.code, "is not empty" in refused.err) == (2, True)
    nothing = run("db", "verify", tmp_path / "nothing")
    assert (nothing.code, nothing.err) == (2, f"there is no backup at {tmp_path / 'nothing'}\n")


def test_verify_finds_a_flipped_byte_in_the_file_of_the_database(config: Path, run: Run, tmp_path: Path) -> None:
    rng, file = random.Random(3), config.parent / "data" / "driftd.duckdb"
    calls_ = [
        {"type": "interaction", "id": f"c{n}", "deployment": "support", "started_at": "2026-11-20T10:00:00Z"}
        | {"response": {"messages": [{"role": "assistant", "content": rng.randbytes(20_000).hex()}]}}
        for n in range(100)
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, calls_)))
    assert run("ingest", tmp_path / "log.jsonl", "--config", config).code == 0
    assert run("db", "compact", "--config", config).code == 0
    sound = run("db", "verify", "--config", config, "--json")
    assert (sound.code, sound.document["ok"]) == (0, True)
    content = file.read_bytes()
    position = len(content) // 2  # nearly all of the file is text of the calls
    file.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
    found = run("db", "verify", "--config", config)
    assert found.code in (1, 2)
    assert "checksum" in found.out + found.err
