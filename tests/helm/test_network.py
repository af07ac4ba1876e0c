"""The network: Services, the ingress, network policies and the ServiceMonitor."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helm.chart import CHART, EXAMPLES, Chart, Object, Rendered, example

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
        if service["metadata"]["name"].endswith("-metrics"):  # every role of a lake: test_lake.py
            continue
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
    test = {"podSelector": {"matchLabels": labels_of_the_test(rendered)}}
    assert by_port["api"][1:] == [test, of_namespace("monitoring")]
    assert by_port["otlp"] == by_port["otlp-grpc"] == [test, of_namespace("support")]
    dashboards = policy(rendered, "night-driftd-dashboards")
    assert dashboards["ingress"] == [{"ports": [{"port": "http"}], "from": [test, of_namespace("ingress-nginx")]}]


def labels_of_the_test(rendered: Rendered) -> dict[str, str]:
    labels = rendered.one("Pod", "night-driftd-test")["metadata"]["labels"]
    return {
        key: labels[f"{key}"] for key in (f"app.kubernetes.io/{name}" for name in ("name", "instance", "component"))
    }


def of_namespace(name: str) -> dict[str, Any]:
    return {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": name}}}


def test_an_empty_list_of_peers_allows_no_client(chart: Chart) -> None:
    no_peers: dict[str, Any] = {"api": [], "otlp": [], "dashboards": []}
    no_test = {"enabled": False}
    rendered = chart.render(PRODUCTION, networkPolicy=no_peers, helmTest=no_test)
    (rule,) = policy(rendered, "night-driftd")["ingress"]
    assert rule["ports"] == [{"port": "api"}]
    assert len(rule["from"]) == 1  # the dashboards of the chart
    for name in ("night-driftd", "night-driftd-dashboards"):
        spec = policy(rendered, name)
        assert spec["policyTypes"] == ["Ingress", "Egress"]
        assert all(rule["from"] for rule in spec["ingress"] or [])
    alone = chart.render(example("without-dashboards"), networkPolicy={"enabled": True, **no_peers}, helmTest=no_test)
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
    rendered = chart.render(
        example("gateway"), release=release, networkPolicy={"enabled": True, "egress": {"enabled": False}}
    )
    names = {item["metadata"]["name"] for item in rendered.objects}
    routes = {f"{name}-api", f"{name}-otlp", f"{name}-otlp-grpc"}
    assert names == {name, f"{name}-headless", f"{name}-dashboards", f"{name}-test"} | routes
    assert max(map(len, names)) <= 52  # a StatefulSet and a Deployment add 11 characters to the names of their pods


def test_a_network_policy_denies_every_connection_that_no_rule_names(chart: Chart) -> None:
    rendered = chart.render(PRODUCTION)
    dns = {
        "ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}],
        "to": [of_namespace("kube-system")],
    }

    def https(*peers: dict[str, Any], port: int = 443) -> dict[str, Any]:
        return {"ports": [{"port": port, "protocol": "TCP"}], "to": list(peers)}

    login = https(of_namespace("login"), port=8443)
    models, receivers = ({"ipBlock": {"cidr": cidr}} for cidr in ("203.0.113.0/24", "198.51.100.7/32"))
    assert policy(rendered, "night-driftd")["egress"] == [dns, https(models), https(receivers), login]
    to_daemon, *others = policy(rendered, "night-driftd-dashboards")["egress"]
    assert others == [dns, login]
    assert to_daemon["ports"] == [{"port": 8400, "protocol": "TCP"}]
    assert selected(rendered, to_daemon["to"][0]["podSelector"]["matchLabels"]) == ["daemon"]


def test_egress_can_stay_open(chart: Chart) -> None:
    spec = policy(chart.render(PRODUCTION, networkPolicy={"egress": {"enabled": False}}), "night-driftd")
    assert spec["policyTypes"] == ["Ingress"]
    assert "egress" not in spec


def test_routes_lead_to_existing_ports(chart: Chart) -> None:
    rendered = chart.render(example("gateway"))
    found = {}
    for route in rendered.of("HTTPRoute") + rendered.of("GRPCRoute"):
        assert route["spec"]["parentRefs"] == [{"name": "public", "namespace": "gateways", "sectionName": "https"}]
        ((backend,),) = [rule["backendRefs"] for rule in route["spec"]["rules"]]
        service = rendered.one("Service", backend["name"])["spec"]
        (port,) = [port["name"] for port in service["ports"] if port["port"] == backend["port"]]
        found[route["spec"]["hostnames"][0]] = (route["kind"], backend["name"], port)
    assert found == {
        "driftd.example.com": ("HTTPRoute", "night-driftd-dashboards", "http"),
        "api.driftd.example.com": ("HTTPRoute", "night-driftd", "api"),
        "otlp.driftd.example.com": ("HTTPRoute", "night-driftd", "otlp"),
        "otlp-grpc.driftd.example.com": ("GRPCRoute", "night-driftd", "otlp-grpc"),
    }


def test_clients_use_tls_if_the_daemon_has_a_certificate(chart: Chart) -> None:
    def found(base: Path, **values: Any) -> dict[str, Any]:
        rendered = chart.render(base, **values)
        daemon = rendered.pods()["daemon"]["spec"]["containers"][0]
        return {
            "probes": {
                daemon[probe]["httpGet"]["scheme"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")
            },
            "pages": rendered.pods()["dashboards"]["spec"]["containers"][0]["args"][0].split(":")[0],
            "ports": [port["appProtocol"] for port in rendered.one("Service")["spec"]["ports"]],
            "test": [arg.split(":")[0] for arg in rendered.of("Pod")[0]["spec"]["containers"][0]["args"][1:]],
        }

    tls = found(example("gateway"))
    assert tls["probes"] == {"HTTPS"}
    assert tls["pages"] == "--url=https"
    assert tls["ports"] == ["https", "https", "https"]
    assert tls["test"] == ["https", "https", "https", "https", "tcp", "http"]
    plain = found(MINIMAL)
    assert plain["probes"] == {"HTTP"}
    assert plain["ports"] == ["http", "http", "kubernetes.io/h2c"]
    assert plain["test"] == ["http", "http", "http", "http", "tcp", "http"]
    only_telemetry = found(example("gateway"), config={"tls": {"api": {"enabled": False}}})
    assert (only_telemetry["probes"], only_telemetry["ports"]) == ({"HTTP"}, ["http", "https", "https"])


def test_a_drain_of_a_node_is_never_blocked(chart: Chart) -> None:
    rendered = chart.render(MINIMAL)
    budgets = {budget["metadata"]["name"]: budget["spec"] for budget in rendered.of("PodDisruptionBudget")}
    assert budgets.keys() == {"night-driftd", "night-driftd-dashboards"}
    for spec in budgets.values():
        assert spec["maxUnavailable"] == 1
        assert spec["unhealthyPodEvictionPolicy"] == "AlwaysAllow"
        assert len(selected(rendered, spec["selector"]["matchLabels"])) == 1
    assert chart.render(MINIMAL, podDisruptionBudget={"enabled": False}).of("PodDisruptionBudget") == []


RULES = """\
groups:
  - name: driftd
    rules:
      - alert: DriftdDown
        expr: absent(driftd_intake_capacity)
        annotations: {summary: "{{ $labels.job }} is down", runbook_url: https://driftd.example.com/runbooks/a.md}
"""


def test_the_rules_and_the_dashboard_are_the_files_of_the_chart(chart: Chart, tmp_path: Path) -> None:
    copy = shutil.copytree(CHART, tmp_path / "driftd")
    (copy / "files/driftd-alerts.yaml").write_text(RULES)
    (copy / "files/driftd-dashboard.json").write_text('{"title": "{{ job }}"}\n')
    on: dict[str, Any] = {"enabled": True}
    rule_values = {**on, "labels": {"release": "prometheus"}, "runbookUrl": "https://wiki.example.com/runbooks/"}
    rendered = chart.render(MINIMAL, chart=copy, prometheusRule=rule_values, grafanaDashboard=on)
    rule = rendered.one("PrometheusRule")
    assert rule["metadata"]["labels"]["release"] == "prometheus"
    expected = yaml.safe_load(RULES.replace("driftd.example.com", "wiki.example.com"))
    assert rule["spec"] == expected
    board = rendered.one("ConfigMap", "night-driftd-grafana")
    assert board["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert json.loads(board["data"]["driftd.json"]) == {"title": "{{ job }}"}
    assert chart.render(MINIMAL, chart=copy).of("PrometheusRule") == []


@pytest.mark.parametrize(
    ("of_rules", "of_config", "base"),
    [
        ("", "", None),
        ("", "https://wiki.example.com/a/", "https://wiki.example.com/a/"),
        ("https://wiki.example.com/b", "https://wiki.example.com/a", "https://wiki.example.com/b/"),
    ],
)
def test_the_runbooks_of_the_rules_are_those_of_the_team(
    chart: Chart, of_rules: str, of_config: str, base: str | None
) -> None:
    rules = {"enabled": True, "runbookUrl": of_rules}
    rendered = chart.render(MINIMAL, prometheusRule=rules, config={"alerts": {"runbook_url": of_config or None}})
    written = [rule for group in rendered.one("PrometheusRule")["spec"]["groups"] for rule in group["rules"]]
    links = [rule["annotations"].get("runbook_url") for rule in written]
    own = yaml.safe_load((CHART / "files/driftd-alerts.yaml").read_text())
    runbooks = [Path(rule["annotations"]["runbook_url"]).name for group in own["groups"] for rule in group["rules"]]
    assert links == [None if base is None else base + name for name in runbooks]
    assert len(links) > 5
    for rule in written:
        assert {"summary", "description"} <= rule["annotations"].keys()


def test_the_example_of_monitoring_enables_all_parts(chart: Chart) -> None:
    rendered = chart.render(example("monitoring"))
    assert "driftd.example.com" not in str(rendered.one("PrometheusRule"))
    assert json.loads(rendered.one("ConfigMap", "night-driftd-grafana")["data"]["driftd.json"])["panels"]
    assert rendered.one("PrometheusRule")["metadata"]["labels"]["release"] == "prometheus"
    assert rendered.one("ServiceMonitor")


def test_missing_rules_are_refused(chart: Chart, tmp_path: Path) -> None:
    copy = shutil.copytree(CHART, tmp_path / "driftd")
    for name in ("driftd-alerts.yaml", "driftd-dashboard.json"):
        (copy / "files" / name).unlink(missing_ok=True)
    on = {"enabled": True}
    result = chart.template(MINIMAL, chart=copy, prometheusRule=on, grafanaDashboard=on)
    assert result.returncode != 0
    assert "which this copy of the chart does not have" in result.stderr
