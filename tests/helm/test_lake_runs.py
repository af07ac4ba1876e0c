"""Run the rendered commands of the Job and of the roles of a lake on a real PostgreSQL server, with local paths."""

import json
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.helm.chart import LAKE, ROLES, Chart, Object, Rendered
from tests.helm.test_runs import TIMEOUT_S, first_response, only_container, started
from tests.ports import free_port
from tests.postgres import Postgres, running_postgres

pytestmark = pytest.mark.skipif(
    os.environ.get("STORE") != "lake",
    reason="needs DuckDB 1.5.5: make test-lake LAKE_TESTS=tests/helm/test_lake_runs.py",
)
PACKAGES = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
SECRETS = {name: f"the text of {name}" for name in ("ingest-token", "reader-token", "metrics-token", "model-key")}


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@dataclass(frozen=True, kw_only=True)
class Place:
    """A folder in place of the volumes of one pod. `shared` has what all pods mount."""

    home: Path
    shared: Path
    ports: dict[str, int] = field(default_factory=lambda: {n: free_port() for n in ("api", "otlp", "otlp_grpc")})

    def local(self) -> Mapping[str, str]:
        """Return the local path of each mounted folder."""
        there = {"/etc/driftd": self.home, "/var/lib/driftd": self.home / "work"}
        for name, path in (("lake", "lake"), ("shared", "shared")):
            there[f"/srv/driftd/{name}"] = self.shared / path
        there["/run/secrets/driftd"] = self.shared / "secrets"
        return {key: str(path) for key, path in there.items()}

    def configure(self, settings: dict[str, Any]) -> None:
        """Write driftd.yaml with the local paths and ports, and without Kafka."""
        self.home.mkdir()
        del settings["ingest"]["kafka"]
        settings["api"] |= {"port": self.ports["api"], "host": "127.0.0.1"}
        for name in ("otlp", "otlp_grpc"):
            settings["ingest"][name] |= {"port": self.ports[name], "host": "127.0.0.1"}
        text = json.dumps(settings)
        for there, path in self.local().items():
            text = text.replace(there, path)
        (self.home / "driftd.yaml").write_text(text)


def place(rendered: Rendered, name: str, folder: Path) -> Place:
    made = Place(home=folder / name, shared=folder)
    made.configure(rendered.config())
    return made


@pytest.fixture
def folder(tmp_path: Path, postgres: Postgres) -> Path:
    """Return the folder of a release: its claims, and its Secret with the URL of a new database."""
    for name in ("lake", "shared", "secrets"):
        (tmp_path / name).mkdir()
    database = f"chart_{tmp_path.name.strip('_')}".lower()[:60]
    postgres.run(f'CREATE DATABASE "{database}"')
    for name, text in {**SECRETS, "lake-url": postgres.url(database), "salt": "0" * 32}.items():
        (tmp_path / "secrets" / name).write_text(text)
    return tmp_path


def init(rendered: Rendered, folder: Path, name: str) -> tuple[int, str]:
    """Run the command of the Job. Return its exit code and its output."""
    (container,) = rendered.one("Job", "night-driftd-init")["spec"]["template"]["spec"]["containers"]
    where = place(rendered, name, folder)
    with started(container, where.local(), home=where.home, more=PACKAGES) as process:
        code = process.wait(TIMEOUT_S)
    return code, (where.home / "log").read_text()


def probes(container: Object, ports: Mapping[str, int]) -> dict[str, str]:
    """Return the local URL of each probe."""
    found = {name: container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    return {name: f"http://127.0.0.1:{ports[get['port']]}{get['path']}" for name, get in found.items()}


def test_the_job_creates_the_lake_and_every_role_starts_answers_and_stops(chart: Chart, folder: Path) -> None:
    rendered = chart.render(LAKE, roles={"api": {"extraArgs": []}})
    assert init(rendered, folder, "first") == (0, init_text(folder, "the lake is created"))
    assert init(rendered, folder, "second") == (0, init_text(folder, "the lake is already there"))
    with ExitStack() as stack:
        running = {}
        for role in ROLES:
            where = place(rendered, role, folder)
            container = only_container(rendered, role)
            process = stack.enter_context(started(container, where.local(), home=where.home, more=PACKAGES))
            running[role] = (process, where, container)
        for role, (process, where, container) in running.items():
            for url in probes(container, where.ports).values():
                assert first_response(process, url, where.home).status_code == 200, role
            assert listens(where.ports["otlp"]) == (role == "ingest")
            assert [port["name"] for port in container["ports"]] == (
                ["api", "otlp", "otlp-grpc"] if role == "ingest" else ["api"]
            )
        token = {"Authorization": f"Bearer {SECRETS['reader-token']}"}
        api = f"http://127.0.0.1:{running['api'][1].ports['api']}"
        assert httpx.get(f"{api}/api/v1/status", headers=token, timeout=30).status_code == 200
        for process, *_ in running.values():
            process.send_signal(signal.SIGTERM)
        assert {role: process.wait(TIMEOUT_S) for role, (process, *_) in running.items()} == dict.fromkeys(ROLES, 0)


def init_text(folder: Path, sentence: str) -> str:
    url = (folder / "secrets/lake-url").read_text()
    return f"{sentence}: database {url}, data {folder}/lake\n"


def listens(port: int) -> bool:
    try:
        httpx.get(f"http://127.0.0.1:{port}/", timeout=5)
    except httpx.TransportError:
        return False
    return True


def test_a_process_before_the_job_names_it(chart: Chart, folder: Path) -> None:
    rendered = chart.render(LAKE)
    where = place(rendered, "control", folder)
    with started(only_container(rendered, "control"), where.local(), home=where.home, more=PACKAGES) as process:
        assert process.wait(TIMEOUT_S) == 2
    assert "`driftd lake init` creates it" in (where.home / "log").read_text()
