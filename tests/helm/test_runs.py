"""Run the rendered commands of the containers with local paths, ports and addresses."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.helm.binary import ROOT
from tests.helm.chart import Chart, Object, Rendered, example
from tests.ports import free_port

TIMEOUT_S = 60.0


@contextmanager
def started(
    container: Object, local: Mapping[str, str], *, home: Path, more: Mapping[str, str] | None = None
) -> Iterator["subprocess.Popen[str]"]:
    """Run the command of the container with only its own environment and `more`, after the replacements of `local`."""
    command = [*container["command"], *container.get("args", [])]
    for there, text in local.items():
        command = [word.replace(there, text) for word in command]
    env = {item["name"]: item["value"] for item in container["env"]}
    env |= {"HOME": str(home), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **(more or {})}
    with (home / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log, text=True)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def first_response(process: "subprocess.Popen[str]", url: str, home: Path) -> httpx.Response:
    """Return the first response of `url` to a request without a token, like that of a probe."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            return httpx.get(url, timeout=5)
        except httpx.TransportError:
            time.sleep(0.05)
    pytest.fail(f"{url} does not respond: {(home / 'log').read_text()}")


def only_container(rendered: Rendered, component: str) -> Object:
    (container,) = rendered.pods()[component]["spec"]["containers"]
    return dict(container)


def test_the_daemon_starts_answers_its_probes_and_stops_on_sigterm(chart: Chart, tmp_path: Path) -> None:
    ports = {"api": free_port(), "otlp": free_port(), "otlp_grpc": free_port()}
    config = {"api": {"port": ports["api"]}, "ingest": {n: {"port": ports[n]} for n in ("otlp", "otlp_grpc")}}
    rendered = chart.render(example("minimal"), config=config)
    container = only_container(rendered, "daemon")
    local = {"/etc/driftd": str(tmp_path), "/var/lib/driftd": str(tmp_path), "/run/secrets/driftd": str(tmp_path)}
    settings = json.dumps(rendered.config()).replace("0.0.0.0", "127.0.0.1")
    for there, path in local.items():
        settings = settings.replace(there, path)
    (tmp_path / "driftd.yaml").write_text(settings)
    for key in ("ingest-token", "reader-token"):
        (tmp_path / key).write_text(f"the text of {key}")

    with started(container, local, home=tmp_path) as process:
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            http_get = container[probe]["httpGet"]
            response = first_response(
                process, f"http://127.0.0.1:{ports[http_get['port']]}{http_get['path']}", tmp_path
            )
            assert response.status_code == 200, probe
        api = f"http://127.0.0.1:{ports['api']}"
        assert httpx.get(f"{api}/metrics").status_code == 401
        token = {"Authorization": "Bearer the text of reader-token"}
        assert httpx.get(f"{api}/metrics", headers=token).status_code == 200
        assert httpx.post(f"http://127.0.0.1:{ports['otlp']}/v1/traces").status_code == 401
        (test,) = rendered.of("Pod")[0]["spec"]["containers"]
        addresses = [each for each in test["args"] if "night-driftd:" in each]
        assert len(addresses) == 5
        assert answers(test, [each.replace("night-driftd:", "127.0.0.1:") for each in addresses]) == 0
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT_S) == 0
    assert (tmp_path / "driftd.duckdb").exists()


def answers(test: Object, addresses: list[str]) -> int:
    """Run the command of `helm test` for other addresses, and return its exit code."""
    script = test["args"][0]
    return subprocess.run([sys.executable, *test["command"][1:], script, *addresses], check=False).returncode


def test_helm_test_fails_if_a_port_answers_otherwise(chart: Chart) -> None:
    (test,) = chart.render(example("minimal")).of("Pod")[0]["spec"]["containers"]
    patient = test["args"][0]
    assert "time.monotonic() + 60" in patient
    impatient = {**test, "args": [patient.replace("time.monotonic() + 60", "time.monotonic()")]}
    port = free_port()
    assert answers(impatient, [f"http://127.0.0.1:{port}/healthz=200"]) == 1
    assert answers(impatient, [f"tcp://127.0.0.1:{port}"]) == 1


def test_the_dashboards_start_and_answer_their_probes(chart: Chart, tmp_path: Path) -> None:
    port = free_port()
    container = only_container(chart.render(example("minimal"), dashboards={"port": port}), "dashboards")
    local = {"/run/secrets/driftd": str(tmp_path), "0.0.0.0": "127.0.0.1", "night-driftd": "127.0.0.1"}
    with started(container, local, home=tmp_path) as process:
        for probe in ("livenessProbe", "readinessProbe"):
            response = first_response(
                process, f"http://127.0.0.1:{port}{container[probe]['httpGet']['path']}", tmp_path
            )
            assert response.status_code == 200, probe
        page = httpx.get(f"http://127.0.0.1:{port}/", headers={"accept": "text/html"})
        assert page.status_code in {200, 303}  # 303: to the login, if a daemon with tokens answers at its port
        assert httpx.get(f"http://127.0.0.1:{port}/login").status_code == 200
        assert process.poll() is None


def test_readers_log_in_with_a_token_with_the_provider_or_share_the_token_of_the_chart(chart: Chart) -> None:
    def arguments(name: str, **values: Any) -> list[str]:
        return list(only_container(chart.render(example(name), **values), "dashboards")["args"][3:])

    assert arguments("minimal") == []
    assert arguments("minimal", dashboards={"tokenKey": "reader-token"}) == [
        "--token-file=/run/secrets/driftd/reader-token",
        "--without-login",
    ]
    assert arguments("production") == [
        "--public-url=https://driftd.example.com",
        "--oidc-issuer=https://login.example.com/realms/company",
        "--oidc-client-id=driftd",
        "--oidc-client-secret-file=/run/secrets/driftd/oidc-client-secret",
    ]
