"""Only its user can read the files of driftd, and `check` warns about other permissions."""

import signal
import stat
import subprocess
from pathlib import Path

import httpx

from tests.cli.conftest import Run
from tests.cli.house import running_model, write_house
from tests.cli.test_serve import DRIFTD, PATIENCE_S, wait_until_ready
from tests.ports import free_port

AT = "2026-11-20T12:00:00Z"


def modes(folder: Path) -> dict[str, str]:
    """Return the permissions of the folder and all files in it, in octal."""
    found = {path.relative_to(folder.parent): path.stat().st_mode for path in [folder, *folder.rglob("*")]}
    return {str(name): f"{stat.S_IMODE(mode):o}" for name, mode in found.items()}


def test_a_daemon_makes_files_for_its_own_user_alone(tmp_path: Path) -> None:
    api = free_port()
    with running_model() as model:
        config = write_house(tmp_path, model_url=model.url, api_port=api)
        command = ["sh", "-c", 'umask 022; exec "$@"', "sh", *DRIFTD, "serve", "--config", str(config)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        wait_until_ready(f"http://127.0.0.1:{api}", process)
        try:
            call = {"deployment": "support", "started_at": AT, "trace_id": "0af7651916cd43dd8448eb211c80319c"}
            httpx.post(f"http://127.0.0.1:{api}/api/v1/interactions", json=call).raise_for_status()
            found = modes(tmp_path / "data")
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_S)
    assert {"data", "data/driftd.duckdb", "data/driftd.duckdb.wal"} <= found.keys()
    assert {mode for name, mode in found.items() if (tmp_path / name).is_dir()} <= {"700"}
    assert {mode for name, mode in found.items() if not (tmp_path / name).is_dir()} == {"600"}


def test_check_warns_of_what_every_user_may_read(tmp_path: Path, run: Run) -> None:
    with running_model() as model:
        config = write_house(tmp_path, model_url=model.url, api_port=free_port())
        assert run("sets", "import", "primes", tmp_path / "primes.jsonl", "--config", config).code == 0
        store = tmp_path / "data" / "driftd.duckdb"
        assert private_lines(run, config) == [("ok", f"no other user can read {store} and its files")]
        backup = tmp_path / "data" / "driftd.duckdb.before-upgrade"
        backup.touch(0o644)
        backup.chmod(0o644)
        tmp_path.chmod(0o755)
        store.chmod(0o644)
        assert private_lines(run, config) == [("ok", f"no other user can read {store} and its files")]
        store.parent.chmod(0o755)
        assert private_lines(run, config) == [
            ("warn", f"every user of this machine can read {path}; run chmod 600 {path}") for path in (store, backup)
        ]


def private_lines(run: Run, config: Path) -> list[tuple[str, str]]:
    checks = run("check", "--config", config, "--json").document["checks"]
    return [(line["state"], line["sentence"]) for line in checks if line["check"] == "private files"]
