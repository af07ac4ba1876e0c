"""`helm install` and `helm upgrade` against a real API server, in namespaces that admit only restricted pods."""

import io
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helm.binary import ROOT
from tests.helm.chart import CHART, EXAMPLES, Object, example
from tests.helm.real.api_server import ApiServer

RELEASE = "night"
PREVIOUS = "0d81734c9e8b"  # the last commit with version 0.1.0 of the chart
PLURALS = {"NetworkPolicy": "networkpolicies", "Ingress": "ingresses"}


def run_helm(helm: Path, server: ApiServer, *arguments: str | Path) -> str:
    """Return the output. The server's warnings, for example of the Pod Security admission, fail the test."""
    command = [helm, "--kubeconfig", server.kubeconfig, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
    assert result.returncode == 0, result.stderr
    assert "arning" not in result.stderr, result.stderr
    return result.stdout


def install(helm: Path, server: ApiServer, namespace: str, values: Path, chart: Path = CHART) -> None:
    run_helm(helm, server, "install", RELEASE, chart, "--namespace", namespace, "--values", values)


def objects(helm: Path, server: ApiServer, namespace: str, what: str) -> list[Object]:
    text = run_helm(helm, server, "get", what, RELEASE, "--namespace", namespace)
    return [item for item in yaml.safe_load_all(text) if item]


def path_of(item: Object, namespace: str) -> str:
    kind, version = item["kind"], item["apiVersion"]
    base = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return f"{base}/namespaces/{namespace}/{PLURALS.get(kind, f'{kind.lower()}s')}"


def pod_of(workload: Object) -> Object:
    template = workload["spec"]["template"]
    return {"apiVersion": "v1", "kind": "Pod", **template, "metadata": {**template["metadata"], "generateName": "p-"}}


def admit(server: ApiServer, namespace: str, pod: Object) -> Any:
    """Return the response to a creation that Kubernetes decides on, and does not store."""
    return server.create(f"/api/v1/namespaces/{namespace}/pods", pod, dry_run=True)


@pytest.fixture(scope="session", autouse=True)
def priority(api_server: ApiServer) -> None:
    item = {"metadata": {"name": "monitoring"}, "value": 1000}  # of the example kafka
    api_server.create("/apis/scheduling.k8s.io/v1/priorityclasses", item).raise_for_status()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_restricted_namespace_admits_every_object_and_pod_of_an_example(
    helm: Path, api_server: ApiServer, path: Path
) -> None:
    namespace = api_server.namespace(f"of-{path.stem}")
    install(helm, api_server, namespace, path)
    installed = objects(helm, api_server, namespace, "manifest")
    for item in installed:
        stored = api_server.get(f"{path_of(item, namespace)}/{item['metadata']['name']}")
        assert stored["metadata"]["labels"]["app.kubernetes.io/instance"] == RELEASE
    pods = [pod_of(item) for item in installed if item["kind"] in {"StatefulSet", "Deployment"}]
    pods += [item for item in objects(helm, api_server, namespace, "hooks") if item["kind"] == "Pod"]
    assert len(pods) == 2 + (path.stem != "without-dashboards")
    for pod in pods:
        response = admit(api_server, namespace, pod)
        assert response.status_code == 201, response.text
        assert "warning" not in response.headers, response.headers["warning"]


def test_the_namespace_refuses_a_pod_that_is_not_restricted(helm: Path, api_server: ApiServer) -> None:
    namespace = api_server.namespace("refuses")
    install(helm, api_server, namespace, example("minimal"))
    (workload,) = [i for i in objects(helm, api_server, namespace, "manifest") if i["kind"] == "StatefulSet"]
    for change in ({"allowPrivilegeEscalation": True}, {"runAsNonRoot": False}, {"capabilities": {"add": ["NET_RAW"]}}):
        pod = pod_of(yaml.safe_load(yaml.safe_dump(workload)))
        pod["spec"]["containers"][0]["securityContext"] |= change
        response = admit(api_server, namespace, pod)
        assert response.status_code == 403
        assert 'violates PodSecurity "restricted:latest"' in response.text


def previous_chart(folder: Path) -> Path:
    """Return the chart of the previous version, from the history of the repository."""
    result = subprocess.run(["git", "-C", ROOT, "archive", PREVIOUS, "helm/driftd"], capture_output=True, check=False)
    if result.returncode:
        pytest.fail(f"the history has no commit {PREVIOUS}; fetch it: {result.stderr.decode()}")
    with tarfile.open(fileobj=io.BytesIO(result.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "helm/driftd"


@pytest.mark.parametrize("name", ["minimal", "production", "without-dashboards"])
def test_a_release_of_the_previous_chart_is_upgraded_and_rolled_back(
    helm: Path, api_server: ApiServer, tmp_path: Path, name: str
) -> None:
    before = previous_chart(tmp_path)
    namespace = api_server.namespace(f"upgrade-{name}")
    install(helm, api_server, namespace, before / f"examples/{name}.yaml", before)
    sets = f"/apis/apps/v1/namespaces/{namespace}/statefulsets/night-driftd"
    old = api_server.get(sets)
    arguments = (RELEASE, CHART, "--namespace", namespace, "--values", example(name))
    run_helm(helm, api_server, "upgrade", *arguments)
    new = api_server.get(sets)
    assert new["metadata"]["uid"] == old["metadata"]["uid"]
    assert new["spec"]["volumeClaimTemplates"] == old["spec"]["volumeClaimTemplates"]
    assert new["spec"]["template"]["metadata"]["labels"]["helm.sh/chart"] == "driftd-0.2.0"
    run_helm(helm, api_server, "rollback", RELEASE, "1", "--namespace", namespace)
    assert api_server.get(sets)["spec"] == old["spec"]


def test_an_upgrade_that_cannot_keep_the_volume_is_refused_and_changes_nothing(
    helm: Path, api_server: ApiServer, tmp_path: Path
) -> None:
    namespace = api_server.namespace("immutable")
    install(helm, api_server, namespace, example("minimal"))
    more = tmp_path / "values.yaml"
    more.write_text("persistence: {size: 40Gi}\n")
    command: list[str | Path] = [
        helm,
        "--kubeconfig",
        api_server.kubeconfig,
        "upgrade",
        RELEASE,
        CHART,
        "--namespace",
        namespace,
    ]
    result = subprocess.run(
        [*command, "--values", example("minimal"), "--values", more], capture_output=True, text=True, check=False
    )
    assert result.returncode != 0
    assert "updates to statefulset spec for fields other than" in result.stderr
    stored = api_server.get(f"/apis/apps/v1/namespaces/{namespace}/statefulsets/night-driftd")
    (claim,) = stored["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["resources"] == {"requests": {"storage": "20Gi"}}
