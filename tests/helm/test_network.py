"""The network: Services, the ingress, network policies and the ServiceMonitor."""

from pathlib import Path
from typing import Any

import pytest

from tests.helm.chart import EXAMPLES, Chart, Object, Rendered, example

MINIMAL, PRODUCTION = example("minimal"), example("production")


def selected(rendered: Rendered, selector: dict[str, str]) -> list[str]:
    return [name for name, pod in rendered.pods().items() if selector.items() <= pod["metadata"]["labels"].items()]


def port_names(rendered: Rendered, component: str) -> set[str]:
    return {port["name"] for c in rendered.pods()[component]["spec"]["containers"] for port in c["ports"]}


def policy(rendered: Rendered, name: str) -> Object:
    return dict(rendered.one("NetworkPolicy", name)["spec"])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_service_reaches_the_ports_of_one_workload(chart: Chart, path: Path) -> None:
    rendered = chart.render(path)
    for service in rendered.of("Service"):
        (component,) = selected(rendered, service["spec"]["selector"])
        assert {port["targetPort"] for port in service["spec"].get("ports", [])} <= port_names(rendered, component)


def test_the_service_has_the_configured_ports(chart: Chart) -> None:
    config = {"api": {"port": 9400}, "ingest": {"otlp": {"port": 9318}, "otlp_grpc": {"port": 9317}}}
    for rendered, ports in (
        (chart.render(MINIMAL), {"api": 8400, "otlp": 4318, "otlp-grpc": 4317}),
        (chart.render(MINIMAL, config=config), {"api": 9400, "otlp": 9318, "otlp-grpc": 9317}),
    ):
        service = rendered.one("Service")["spec"]
        container = rendered.pods()["daemon"]["spec"]["containers"][0]
        assert {port["name"]: port["port"] for port in service["ports"]} == ports
        assert {port["name"]: port["containerPort"] for port in container["ports"]} == ports
        assert (
            f"--url=http://night-driftd:{ports['api']}"
            in rendered.pods()["dashboards"]["spec"]["containers"][0]["args"]
        )


def test_the_headless_service_of_the_stateful_set_has_no_ports(chart: Chart) -> None:
    rendered = chart.render(MINIMAL)
    headless = rendered.one("Service", rendered.one("StatefulSet")["spec"]["serviceName"])["spec"]
    assert headless["clusterIP"] == "None"
    assert "ports" not in headless


def test_a_pod_that_is_not_ready_stays_in_the_service(chart: Chart) -> None:
    assert chart.render(MINIMAL).one("Service")["spec"]["publishNotReadyAddresses"] is True


def test_an_ingress_leads_to_existing_ports(chart: Chart) -> None:
    hosts = {"dashboards": "d.example.com", "api": "a.example.com", "otlp": "o.example.com"}
    rendered = chart.render(PRODUCTION, ingress={"hosts": hosts})
    found = {}
    for rule in rendered.one("Ingress")["spec"]["rules"]:
        (path,) = rule["http"]["paths"]
        backend = path["backend"]["service"]
        service = rendered.one("Service", backend["name"])["spec"]
        assert backend["port"]["name"] in {port["name"] for port in service["ports"]}
        found[rule["host"]] = (backend["name"], backend["port"]["name"])
    assert found == {
        "d.example.com": ("night-driftd-dashboards", "http"),
        "a.example.com": ("night-driftd", "api"),
        "o.example.com": ("night-driftd", "otlp"),
    }


def test_only_named_hosts_are_published(chart: Chart) -> None:
    ingress = chart.render(PRODUCTION).one("Ingress")["spec"]
    assert [rule["host"] for rule in ingress["rules"]] == ["driftd.example.com"]
    assert ingress["tls"] == [{"secretName": "driftd-tls", "hosts": ["driftd.example.com"]}]
    assert ingress["ingressClassName"] == "nginx"


def test_a_network_policy_allows_the_dashboards_and_the_named_peers(chart: Chart) -> None:
    rendered = chart.render(PRODUCTION)
    spec = policy(rendered, "night-driftd")
    assert selected(rendered, spec["podSelector"]["matchLabels"]) == ["daemon"]
    by_port = {port["port"]: rule["from"] for rule in spec["ingress"] for port in rule["ports"]}
    assert by_port.keys() == port_names(rendered, "daemon")
    assert selected(rendered, by_port["api"][0]["podSelector"]["matchLabels"]) == ["dashboards"]
    assert by_port["api"][1:] == [of_namespace("monitoring")]
    assert by_port["otlp"] == by_port["otlp-grpc"] == [of_namespace("support")]
    dashboards = policy(rendered, "night-driftd-dashboards")
    assert dashboards["ingress"] == [{"ports": [{"port": "http"}], "from": [of_namespace("ingress-nginx")]}]


def of_namespace(name: str) -> dict[str, Any]:
    return {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": name}}}


def test_an_empty_list_of_peers_allows_no_client(chart: Chart) -> None:
    no_peers: dict[str, Any] = {"api": [], "otlp": [], "dashboards": []}
    rendered = chart.render(PRODUCTION, networkPolicy=no_peers)
    (rule,) = policy(rendered, "night-driftd")["ingress"]
    assert rule["ports"] == [{"port": "api"}]
    assert len(rule["from"]) == 1  # the dashboards of the chart
    for name in ("night-driftd", "night-driftd-dashboards"):
        spec = policy(rendered, name)
        assert spec["policyTypes"] == ["Ingress"]
        assert all(rule["from"] for rule in spec["ingress"] or [])
    alone = chart.render(example("without-dashboards"), networkPolicy={"enabled": True, **no_peers})
    assert not policy(alone, "night-driftd")["ingress"]


def test_one_service_is_scraped_with_a_token(chart: Chart) -> None:
    rendered = chart.render(PRODUCTION)
    spec = rendered.one("ServiceMonitor")["spec"]
    (endpoint,) = spec["endpoints"]
    labels = spec["selector"]["matchLabels"].items()
    scraped = [
        service["metadata"]["name"]
        for service in rendered.of("Service")
        if labels <= service["metadata"]["labels"].items()
        and endpoint["port"] in {port["name"] for port in service["spec"].get("ports", [])}
    ]
    assert scraped == ["night-driftd"]
    assert endpoint["path"] == "/metrics"
    assert endpoint["authorization"] == {"type": "Bearer", "credentials": {"name": "driftd", "key": "metrics-token"}}


@pytest.mark.parametrize(("release", "name"), [("driftd", "driftd"), ("x" * 53, f"{'x' * 40}")])
def test_names_fit_into_a_dns_label(chart: Chart, release: str, name: str) -> None:
    result = chart.run("template", release, "helm/driftd", "--kube-version", "1.37.0", "--values", MINIMAL)
    names = {line.split()[-1] for line in result.stdout.splitlines() if line.startswith("  name: ")}
    assert names == {name, f"{name}-headless", f"{name}-dashboards"}
