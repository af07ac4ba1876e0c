"""Each program accepts its file of deploy/compose, and together they deliver a call and an alert."""

import json
import subprocess
import time
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.observability.compose import FOLDER, compose
from tests.observability.real.prometheus import Prometheus, until
from tests.observability.real.promtool import promtool
from tests.observability.real.stack import Files, amtool, composeconfig, otelcol, running_stack
from tests.observability.rules import BASE, FILE, alerting_rules

pytestmark = pytest.mark.xdist_group("compose")
PATIENCE_S = 120.0


def run(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_loader_of_compose_accepts_the_file() -> None:
    loaded = json.loads(run(composeconfig(), FOLDER / "compose.yaml"))
    assert loaded["services"].keys() == compose()["services"].keys()
    assert all(service["read_only"] for service in loaded["services"].values())


def test_the_loader_of_compose_rejects_an_unknown_key_and_an_unknown_volume(tmp_path: Path) -> None:
    for old, new in (("read_only:", "read_onely:"), ("- kafka:/var", "- cafka:/var")):
        path = tmp_path / "compose.yaml"
        path.write_text((FOLDER / "compose.yaml").read_text().replace(old, new))
        done = subprocess.run([composeconfig(), path], capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stdout


def test_the_collector_accepts_its_file() -> None:
    run(otelcol(), "validate", "--config", f"file:{FOLDER / 'collector.yaml'}")


def test_prometheus_accepts_its_file_and_the_rules(tmp_path: Path) -> None:
    files = Files(folder=tmp_path)
    files.driftd()  # writes the tokens
    promtool("check", "config", files.prometheus())


def test_alertmanager_accepts_its_file() -> None:
    assert "SUCCESS" in run(amtool(), "check-config", FOLDER / "alertmanager.yml")


def test_a_call_flows_from_the_collector_to_driftd_and_an_alert_about_driftd_to_alertmanager(tmp_path: Path) -> None:
    with running_stack(tmp_path) as stack:
        sent = httpx.post(f"{stack.files.url('0.0.0.0:4318')}/v1/traces", json=a_call(), timeout=30.0)
        assert sent.status_code == httpx.codes.OK, sent.text
        until("driftd has the call", lambda: bool(stack.interactions()), PATIENCE_S)
        [call] = stack.interactions()
        assert (call["deployment"], call["trace_id"]) == ("my-product", "5b8efff798038103d269b633813fc60c")

        prometheus = stack.prometheus
        for job in ("driftd", "collector", "alertmanager"):
            until(f"{job} is scraped", partial(is_up, prometheus, job), PATIENCE_S)
        until("the record is counted", lambda: prometheus.value("sum(driftd_kafka_records_total)") >= 1, PATIENCE_S)
        groups = httpx.get(f"{prometheus.url}/api/v1/rules", timeout=30.0).json()["data"]["groups"]
        assert {rule["name"] for group in groups for rule in group["rules"]} == {rule.name for rule in alerting_rules()}
        assert {rule["health"] for group in groups for rule in group["rules"]} <= {"ok", "unknown"}
        assert "DriftdDown" not in stack.alerts()

        stack.daemon.terminate()
        stack.daemon.wait(60)
        until("Alertmanager has the alert", lambda: "DriftdDown" in stack.alerts(), PATIENCE_S)
        alert = stack.alerts()["DriftdDown"]
        assert alert["labels"]["severity"] == "critical"
        assert alert["annotations"]["runbook_url"] == f"{BASE}DriftdDown.md"
        assert FILE.name in {path.name for path in tmp_path.iterdir()}


def is_up(prometheus: Prometheus, job: str) -> bool:
    return bool(prometheus.query(f'up{{job="{job}"}} == 1'))


def a_call() -> dict[str, object]:
    """Return an OTLP request with one call to a model."""
    now = time.time_ns()
    text = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "my-model"}
    span = {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "eee19b7ec3c1b174",
        "name": "chat my-model",
        "kind": 3,
        "startTimeUnixNano": str(now - 10**9),
        "endTimeUnixNano": str(now),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in text.items()],
    }
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "my-product"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}
