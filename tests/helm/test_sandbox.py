"""The sandbox of programs in Kubernetes: rights, the network of its namespace, and who gets a token."""

from pathlib import Path
from typing import Any

import pytest

from tests.helm.chart import LAKE, Chart, Object, example

MINIMAL, PRODUCTION = example("minimal"), example("production")
SANDBOX = {"sandbox": {"kind": "kubernetes", "namespace": "driftd-code", "image": "registry.example.com/python:3.13"}}
KUBERNETES = [{"to": [{"ipBlock": {"cidr": "203.0.113.7/32"}}], "ports": [6443]}]
NAME = "night-driftd-code-sandbox"
TOKEN = {"name": "kubernetes", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}


def mounts(pod: Object) -> list[Object]:
    return [mount for container in pod["spec"]["containers"] for mount in container.get("volumeMounts", [])]


@pytest.mark.parametrize(
    ("path", "scoring"), [(MINIMAL, {"daemon"}), (LAKE, {"control", "work"})], ids=["file", "lake"]
)
def test_only_the_pods_that_score_have_a_token(chart: Chart, path: Path, scoring: set[str]) -> None:
    network: dict[str, Any] = {"networkPolicy": {"egress": {"kubernetes": KUBERNETES}}}
    with_token = {
        name for name, pod in chart.render(path, config=SANDBOX, **network).pods().items() if TOKEN in mounts(pod)
    }
    assert with_token == scoring
    assert not any(TOKEN in mounts(pod) for pod in chart.render(path).all_pods())
    for pod in chart.render(path, config=SANDBOX, **network).all_pods():
        assert pod["spec"]["automountServiceAccountToken"] is False
        volumes = [volume for volume in pod["spec"].get("volumes", []) if volume["name"] == "kubernetes"]
        assert bool(volumes) is (TOKEN in mounts(pod))


def test_the_release_has_rights_in_the_namespace_of_the_sandbox_alone(chart: Chart) -> None:
    rendered = chart.render(MINIMAL, config=SANDBOX, namespace="monitoring")
    role, binding = rendered.one("Role", NAME), rendered.one("RoleBinding", NAME)
    assert {item["metadata"]["namespace"] for item in (role, binding)} == {"driftd-code"}
    rights = {(name, verb) for rule in role["rules"] for name in rule["resources"] for verb in rule["verbs"]}
    assert {name for name, verb in rights if verb in ("create", "delete", "patch")} == {"jobs", "secrets"}
    assert ("secrets", "list") not in rights
    account = {"kind": "ServiceAccount", "name": "night-driftd", "namespace": "monitoring"}
    assert binding["subjects"] == [account]
    assert not chart.render(MINIMAL).of("Role")


def test_the_namespace_of_the_sandbox_has_no_network(chart: Chart) -> None:
    policy = chart.render(MINIMAL, config=SANDBOX).one("NetworkPolicy", NAME)
    assert policy["metadata"]["namespace"] == "driftd-code"
    assert policy["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_the_pods_that_score_may_connect_to_the_api_server(chart: Chart) -> None:
    rendered = chart.render(LAKE, config=SANDBOX, networkPolicy={"egress": {"kubernetes": KUBERNETES}})

    def ports(component: str) -> set[int]:
        rules = rendered.one("NetworkPolicy", f"night-driftd-{component}")["spec"].get("egress", [])
        return {port["port"] for rule in rules for port in rule["ports"]}

    assert {name for name in ("ingest", "control", "work", "maintain", "api") if 6443 in ports(name)} == {
        "control",
        "work",
    }


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"networkPolicy": {"enabled": True}, "config": SANDBOX},
            "networkPolicy denies the connections of config.sandbox.namespace, because networkPolicy.egress.kubernetes",
        ),
        (
            {"config": {"sandbox": {**SANDBOX["sandbox"], "namespace": "default"}}},
            "config.sandbox.namespace is default, the namespace of the release",
        ),
    ],
)
def test_values_that_cannot_work_are_refused(chart: Chart, values: dict[str, Any], message: str) -> None:
    assert message in " ".join(chart.refusal(MINIMAL, **values).split())
