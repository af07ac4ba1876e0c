"""The Compose file limits its containers, has no secret, and mounts files that exist."""

import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from monitor.config.load import load
from tests.observability.compose import FOLDER, compose, mounted, place_of
from tests.observability.rules import ROOT

SERVICES: dict[str, dict[str, Any]] = compose()["services"]
WITHOUT_HEALTH_CHECK = {"collector", "kafka-topics"}  # an image without a shell, and a container that ends
services = pytest.mark.parametrize("name", SERVICES)


@services
def test_a_service_is_read_only_without_capabilities_and_has_a_limit_of_its_memory(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert name == "kafka-topics" or service["mem_limit"]
    assert "privileged" not in service


@services
def test_the_image_of_a_service_is_pinned_by_version(name: str) -> None:
    assert re.fullmatch(r"[\w./-]+:\$\{[A-Z]+_VERSION:-v?\d+\.\d+\.\d+\}", SERVICES[name]["image"])


@services
def test_a_port_is_published_on_loopback_only(name: str) -> None:
    assert all(str(port).startswith("127.0.0.1:") for port in SERVICES[name].get("ports", ()))


@services
def test_a_service_has_a_health_check(name: str) -> None:
    assert ("healthcheck" in SERVICES[name]) == (name not in WITHOUT_HEALTH_CHECK)


def test_every_mounted_file_exists_and_is_read_only() -> None:
    assert [str(source) for _, source, _ in mounted() if not source.exists()] == []
    binds = [one for service in SERVICES.values() for one in service.get("volumes", ()) if one.startswith(".")]
    assert [one for one in binds if not one.endswith(":ro")] == []


def test_data_is_in_named_volumes() -> None:
    used = {
        volume.split(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", ())
        if not volume.startswith(".")
    }
    assert used == set(compose()["volumes"]) == {"kafka", "driftd", "prometheus", "alertmanager", "grafana"}


def test_no_file_has_a_secret_and_git_ignores_those_that_start_creates() -> None:
    assert all(one["file"].startswith("./secrets/") for one in compose()["secrets"].values())
    ignored = (FOLDER / ".gitignore").read_text().split()
    assert {"secrets/", ".env"} <= set(ignored)
    example = (FOLDER / ".env.example").read_text()
    assert re.findall(r"^(\w*(?:KEY|TOKEN|PASSWORD|SECRET)\w*)=(.+)$", example, re.MULTILINE) == []


def test_every_variable_is_optional_and_those_of_the_example_are_used() -> None:
    text = (FOLDER / "compose.yaml").read_text()
    found = re.findall(r"\$\{(\w+)(:-[^}]*)?\}", text)
    assert all(default for _, default in found)
    example = set(re.findall(r"^(\w+)=", (FOLDER / ".env.example").read_text(), re.MULTILINE))
    assert example <= {name for name, _ in found}


def test_start_creates_every_secret_of_the_compose_file() -> None:
    script = FOLDER / "start"
    assert script.stat().st_mode & stat.S_IXUSR
    subprocess.run(["bash", "-n", script], check=True)
    [names] = re.findall(r"for name in (.+); do", script.read_text())
    assert set(names.split()) == set(compose()["secrets"])


def test_the_configuration_of_driftd_is_valid_and_its_secrets_are_mounted(tmp_path: Path) -> None:
    text = (FOLDER / "driftd.yaml").read_text()
    places = set(re.findall(r"/run/secrets/(\w+)", text))
    assert places <= set(SERVICES["driftd"]["secrets"])
    for place in places:
        (tmp_path / place).write_text("a" * 64)
        text = text.replace(f"/run/secrets/{place}", str(tmp_path / place))
    (tmp_path / "driftd.yaml").write_text(text)
    config = load(tmp_path / "driftd.yaml", {})
    assert config.api.host == "0.0.0.0"
    [source] = config.ingest.kafka.values()
    collector = yaml.safe_load((FOLDER / "collector.yaml").read_text())["exporters"]["kafka"]
    assert {name: topic.signal for name, topic in source.topics.items()} == {
        collector[signal]["topic"]: signal for signal in ("traces", "logs")
    }
    assert {topic.format for topic in source.topics.values()} == {collector["traces"]["encoding"]}
    command = " ".join(SERVICES["kafka-topics"]["command"])
    assert all(name in command for name in source.topics)


def test_prometheus_has_the_rules_its_token_and_alertmanager() -> None:
    config = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    assert config["rule_files"] == [place_of("prometheus", "driftd-alerts.yaml")]
    own = next(one for one in config["scrape_configs"] if one["job_name"] == "driftd")
    assert own["authorization"]["credentials_file"].removeprefix("/run/secrets/") in SERVICES["prometheus"]["secrets"]
    hosts = re.findall(r"targets: \[\"([a-z-]+):", (FOLDER / "prometheus.yml").read_text())
    assert set(hosts) <= set(SERVICES)


def test_grafana_is_provisioned_with_the_dashboard_and_prometheus() -> None:
    [source] = yaml.safe_load((FOLDER / "grafana/datasources/prometheus.yaml").read_text())["datasources"]
    assert (source["type"], source["url"]) == ("prometheus", "http://prometheus:9090")
    [provider] = yaml.safe_load((FOLDER / "grafana/dashboards/driftd.yaml").read_text())["providers"]
    place = place_of("grafana", "driftd-dashboard.json")
    assert place.startswith(provider["options"]["path"] + "/")
    assert SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == place


def test_the_version_of_the_collector_is_the_one_that_is_tested() -> None:
    assert "go.opentelemetry.io/collector/otelcol v0.155.0" in (ROOT / ".ci/collector/go.mod").read_text()
    assert "0.155.0" in SERVICES["collector"]["image"]
    [kafka] = re.findall(r"^VERSION=(.+)$", (ROOT / ".ci/kafka").read_text(), re.MULTILINE)
    assert kafka in SERVICES["kafka"]["image"]
