"""No secret is in anything that a daemon writes: logs, database, answers, exports, messages and output of commands.

The daemon runs as a process with a secret in each place that can hold one (tests/app/canaries.py). Every peer refuses
its requests with an error that quotes them.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from tests.app.canaries import (
    MAY_RECEIVE,
    RECEIVERS,
    SEALED,
    Mirror,
    canary,
    kept,
    leaked,
    running_mirror,
    sealed_set,
    write,
)
from tests.cli.test_serve import DRIFTD, PATIENCE_S, wait_until_ready
from tests.ports import free_port

ADMIN = {"Authorization": f"Bearer {canary('token admin')}"}
HEADERS = {"X-Api-Key": canary("header"), "Cookie": f"session={canary('cookie')}"}


@dataclass(kw_only=True)
class Watched:
    """A daemon with planted secrets. `written` has everything that processes wrote to their outputs."""

    folder: Path
    url: str
    environment: dict[str, str]
    mirror: Mirror
    answers: list[str]

    def serve(self, *options: str) -> "subprocess.Popen[bytes]":
        command = [*DRIFTD, "serve", "--log-level", "debug", *options]
        with (self.folder / "daemon.log").open("ab") as log:
            return subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=log, stderr=log)

    def run(self, *command: str) -> "subprocess.CompletedProcess[bytes]":
        done = subprocess.run(
            [*DRIFTD, *command], cwd=self.folder, env=self.environment, capture_output=True, timeout=120, check=False
        )
        self.answers += [done.stdout.decode(), done.stderr.decode()]
        return done

    def ask(self, method: str, path: str, *, status: int | None = None, **options: Any) -> httpx.Response:
        headers = {**HEADERS, **ADMIN, **options.pop("headers", {})}
        answer = httpx.request(method, f"{self.url}{path}", headers=headers, timeout=30, **options)
        self.answers.append(f"{answer.headers}\n{answer.text}")
        assert status is None or answer.status_code == status, answer.text
        return answer

    def on_disk(self) -> Iterator[tuple[str, bytes]]:
        """Yield every file that is no planted one, and every row of the database."""
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and path not in kept(self.folder):
                yield path.name, path.read_bytes()
        with duckdb.connect(self.folder / "data" / "driftd.duckdb", read_only=True) as file:
            for (name,) in file.execute("SELECT table_name FROM duckdb_tables()").fetchall():
                yield f"table {name}", str(file.table(name).to_arrow_table().to_pylist()).encode()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    with running_mirror() as mirror:
        port = free_port()
        variables = write(tmp_path, mirror.url, port=port, closed=free_port())
        environment = {**os.environ, **variables}
        found = Watched(
            folder=tmp_path, url=f"http://127.0.0.1:{port}", environment=environment, mirror=mirror, answers=[]
        )
        yield found


def wait_for_end(process: "subprocess.Popen[bytes]") -> int:
    return process.wait(timeout=PATIENCE_S)


def drive(watched: Watched) -> str:
    """Send requests of every kind, most of which fail. Return the text of a token that was created."""
    watched.ask("POST", "/api/v1/sets", json=sealed_set(), status=201)
    for deployment in ("model", "application", "program"):
        watched.ask("POST", "/api/v1/runs", json={"deployment": deployment, "set_name": "private"}, status=201)
    for name in RECEIVERS:
        watched.ask("POST", f"/api/v1/receivers/{name}/test", json={})
    for header in (
        f"Bearer {canary('guess')}",
        f"Basic {canary('guess')}",
        canary("guess"),
        f"Bearer%20{canary('guess')}",
    ):
        watched.ask("GET", "/api/v1/runs", headers={"Authorization": header}, status=401)
    for path in (f"/callbacks/pagerduty/pager?s={canary('guess')}", "/callbacks/slack/bot"):
        headers = {"X-PagerDuty-Signature": f"v1={canary('guess')}", "X-Slack-Signature": f"v0={canary('guess')}"}
        watched.ask("POST", f"/api/v1{path}", headers=headers, content=canary("guess").encode())
    for path in ("/api/v1/sets", "/api/v1/runs", "/api/v1/interactions", "/api/v1/changes"):
        watched.ask("POST", path, content=b'{"broken', headers={"Content-Type": "application/json"})
        watched.ask("POST", path, json={"unknown": 1})
    watched.ask("GET", "/api/v1/sets/export", params={"set_name": "private"}, headers=bearer("ingest"), status=403)
    watched.ask("GET", "/api/v1/cases", params={"set_name": "private", "reveal": "true"}, headers=bearer("ingest"))
    made = httpx.post(
        f"{watched.url}/api/v1/tokens",
        json={"name": "ci", "roles": ["read"], "deployments": ["model"]},
        headers={**ADMIN, "Idempotency-Key": "k"},
    )
    assert made.status_code == 201
    token = str(made.json()["token"])
    limited = {"Authorization": f"Bearer {token}"}  # its uses, its refusals and its successor are stored and logged
    watched.ask("GET", "/api/v1/runs", headers=limited, status=200)
    watched.ask("GET", "/metrics", headers=limited, status=403)
    watched.ask("GET", "/api/v1/runs", headers={"Authorization": "", "X-Api-Key": token}, status=401)
    wait_for_runs(watched)
    return token


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {canary(f'token {name}')}"}


def wait_for_runs(watched: Watched) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        runs = watched.ask("GET", "/api/v1/runs", status=200).json()["items"]
        if len(runs) == 3 and all(run["state"] in {"failed", "partial", "complete"} for run in runs):
            return
        time.sleep(0.2)
    pytest.fail("the runs do not end")


def read_everything(watched: Watched) -> None:
    """Ask each route that reads, with and without objects."""
    document = watched.ask("GET", "/openapi.json", status=200).json()
    runs = [run["id"] for run in watched.ask("GET", "/api/v1/runs").json()["items"]]
    for path, methods in document["paths"].items():
        if "get" not in methods or path == "/api/v1/sets/export":
            continue
        given = {
            "set_name": "private",
            "run_id": runs[0],
            "deployment": "model",
            "baseline": runs[0],
            "candidate": runs[1],
        }
        names = {each["name"] for each in methods["get"].get("parameters", [])}
        params = {name: value for name, value in given.items() if name in names}
        watched.ask("GET", path.replace("{id}", runs[0]).replace("{name}", "ReplayFailed"), params=params)
    for run in runs:
        watched.ask("GET", "/api/v1/outcomes", params={"run_id": run})


def test_no_secret_is_in_anything_that_a_daemon_writes(watched: Watched) -> None:
    process = watched.serve()
    wait_until_ready(watched.url, process)  # type: ignore[arg-type]
    try:
        text = drive(watched)
        read_everything(watched)
        entries = watched.ask("GET", "/api/v1/audit", params={"kind": "write", "limit": 500}).json()["items"]
    finally:
        process.send_signal(signal.SIGKILL)
        wait_for_end(process)
    checked = watched.run("check", "--notify", "--call-targets", "--json")
    assert json.loads(checked.stdout)["checks"]
    verified = watched.run("db", "audit", "--json")
    assert (verified.returncode, json.loads(verified.stdout)["ok"]) == (0, True), verified.stderr
    assert json.loads(verified.stdout)["entries"] >= len(entries) >= 4 + len(RECEIVERS)
    process = watched.serve()
    wait_until_ready(watched.url, process)  # type: ignore[arg-type]
    process.send_signal(signal.SIGTERM)
    assert wait_for_end(process) == 0

    log = (watched.folder / "daemon.log").read_bytes()
    assert b"level=debug" in log or b"level=warning" in log  # the search looks where errors are
    found = {name: leaked(content) for name, content in watched.on_disk()}
    assert {name: secrets for name, secrets in found.items() if secrets} == {}
    assert {answer[:300]: leaked(answer) for answer in watched.answers if leaked(answer)} == {}
    for path, request in watched.mirror.received:
        allowed = next((secrets for start, secrets in MAY_RECEIVE.items() if path.startswith(start)), set())
        assert leaked(request, allowed) == [], path
    assert {path.split("/")[1] for path, _ in watched.mirror.received} >= {"model", "application", "hook", "collector"}
    assert not [name for name, content in watched.on_disk() if text.encode() in content]
    assert SEALED not in log.decode()


@pytest.mark.parametrize(
    "broken",
    [
        "api: {tokens: [{name: a, sha256: ${BROKEN}, roles: [read]}]}",
        "targets: {model: {base_url: ${BROKEN}, model: gpt-4, api_key: {a: ${BROKEN}}}}",
        "receivers: {hook: {kind: webhook, url: ${BROKEN}, signing_secret: [${BROKEN}]}}",
        "receivers: {bot: {kind: slack_api, token: ${BROKEN}, channel: 7}}",
        "sets: {private: {kind: frozen, key: ${BROKEN}}}",
        "ingest: {kafka: {calls: {password: ${BROKEN}, username: [${BROKEN}]}}}",
        "redaction: {salt: {x: ${BROKEN}}}\ntelemetry: {otlp_headers: ${BROKEN}}",
        "api: {tokens: [{name: a, token: ${BROKEN}}]}\n${BROKEN}: 1",
    ],
)
def test_a_configuration_with_an_error_is_explained_without_its_secrets(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    from monitor.cli.main import main

    path = tmp_path / "driftd.yaml"
    path.write_text(broken)
    monkeypatch.setenv("BROKEN", canary("broken"))
    with pytest.raises(SystemExit) as left:
        main(["check", "--config", str(path)])
    out, err = capfd.readouterr()
    assert left.value.code in {1, 2}
    assert leaked(out + err) == []
    assert "driftd" in out + err or str(path) in out + err
