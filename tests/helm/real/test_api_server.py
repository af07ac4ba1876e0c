"""A real API server admits the chart: helm installs, upgrades and removes every example."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helm.chart import CHART, EXAMPLES, LAKE, Chart, Object, Rendered, example
from tests.helm.real.api_server import ApiServer, ending_jobs, running
from tests.helm.real.assets import folder_of

OLDEST = "1.28.0"  # what `.ci/kubernetes` builds; charts render by the version

# What the example with Kafka expects of its cluster.
PRIORITY = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "monitoring"},
    "value": 1000,
}


@pytest.fixture(scope="module")
def server(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    binaries = folder_of(".ci/kubernetes", "KUBERNETES", "kube-apiserver", "etcd")
    with running(binaries, tmp_path_factory.mktemp("cluster")) as started:
        for file in sorted((tools / "definitions").glob("*.yaml")):
            started.define(file)
        started.post("/apis/scheduling.k8s.io/v1/priorityclasses", PRIORITY).raise_for_status()
        yield started


def helm(chart: Chart, server: ApiServer, *arguments: str | Path) -> str:
    result = chart.run(*arguments, *server.helm_options())
    assert result.returncode == 0, result.stdout + result.stderr
    assert "would violate" not in result.stderr, result.stderr  # a warning about the level of a workload
    assert "unknown field" not in result.stderr, result.stderr
    return result.stdout


def pods(rendered: Rendered) -> list[Object]:
    """Return a pod of each template, as a controller would create it, with the volumes of its claims."""
    found = []
    for template in rendered.all_pods():
        kept = {key: value for key, value in template.get("metadata", {}).items() if key in ("labels", "annotations")}
        spec = template["spec"]
        mounted = {mount["name"] for each in spec["containers"] for mount in each.get("volumeMounts", [])}
        claims = sorted(mounted - {volume["name"] for volume in spec.get("volumes", [])})
        volumes = [{"name": name, "persistentVolumeClaim": {"claimName": f"{name}-night-driftd-0"}} for name in claims]
        spec = {**spec, "volumes": spec.get("volumes", []) + volumes}
        found.append({"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "p-", **kept}, "spec": spec})
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_object_and_pod_of_an_example_is_admitted_under_restricted(
    chart: Chart, server: ApiServer, path: Path
) -> None:
    space = f"install-{path.stem}"
    server.namespace(space)
    with ending_jobs(server, space, "Complete"):
        helm(chart, server, "install", "night", CHART, "--namespace", space, "--values", path)
    rendered = chart.render(path, kubernetes=OLDEST)
    hooks = [item for item in rendered.objects if "helm.sh/hook" in item["metadata"].get("annotations", {})]
    stored = [item for item in rendered.objects if item not in hooks]
    assert len(stored) > 4
    missing = [item["kind"] for item in stored if not server.client.get(server.path(item, space)).is_success]
    assert missing == []
    for item in pods(rendered):
        answer = server.post(f"/api/v1/namespaces/{space}/pods", item)
        assert answer.status_code == 201, answer.text
        assert "Warning" not in answer.headers, answer.headers["Warning"]


def test_a_pod_that_is_not_restricted_is_refused(chart: Chart, server: ApiServer) -> None:
    server.namespace("refused")
    (item, *_) = pods(chart.render(example("minimal"), kubernetes=OLDEST))
    item["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
    answer = server.post("/api/v1/namespaces/refused/pods", item)
    assert answer.status_code == 403
    assert "allowPrivilegeEscalation != false" in answer.json()["message"]


def test_a_release_takes_another_example_and_is_removed(chart: Chart, server: ApiServer) -> None:
    server.namespace("changes")
    space = ("--namespace", "changes")
    same_claim = ("--set", "persistence.size=20Gi,persistence.storageClassName=,persistence.accessMode=ReadWriteOnce")
    helm(chart, server, "install", "night", CHART, *space, "--values", example("minimal"))
    helm(chart, server, "upgrade", "night", CHART, *space, "--values", example("production"), *same_claim)
    after = chart.render(example("production"), kubernetes=OLDEST)
    policies = [server.path(item, "changes") for item in after.of("NetworkPolicy")]
    assert policies
    assert all(server.client.get(path).is_success for path in policies)
    helm(chart, server, "rollback", "night", "1", *space)
    assert {server.client.get(path).status_code for path in policies} == {404}
    helm(chart, server, "uninstall", "night", *space)
    minimal = chart.render(example("minimal"), kubernetes=OLDEST).objects
    kept = [item["kind"] for item in minimal if server.client.get(server.path(item, "changes")).is_success]
    assert kept == []


def test_a_lake_that_cannot_be_migrated_stops_the_upgrade_before_a_pod_changes(chart: Chart, server: ApiServer) -> None:
    server.namespace("migration")
    release = ("night", CHART, "--namespace", "migration", "--values", LAKE)
    with ending_jobs(server, "migration", "Complete") as first:
        helm(chart, server, "install", *release)
    assert [job["metadata"]["name"] for job in first] == ["night-driftd-init"]
    control = next(
        item for item in chart.render(LAKE, kubernetes=OLDEST).of("Deployment") if "control" in item["metadata"]["name"]
    )
    path = server.path(control, "migration")
    with ending_jobs(server, "migration", "Failed"):
        refused = chart.run("upgrade", *release, "--set", "roles.control.replicas=3", *server.helm_options())
    assert refused.returncode != 0
    assert "pre-upgrade hooks failed" in refused.stderr
    assert server.client.get(path).json()["spec"]["replicas"] == 2
    with ending_jobs(server, "migration", "Complete"):
        helm(chart, server, "upgrade", *release, "--set", "roles.paused=true")
        assert server.client.get(path).json()["spec"]["replicas"] == 0
        helm(chart, server, "upgrade", *release)
    assert server.client.get(path).json()["spec"]["replicas"] == 2
    ingest = path.replace("control", "ingest")  # its autoscaler needs at least one pod to begin with
    assert server.client.get(ingest).json()["spec"]["replicas"] == 1


def test_another_size_is_refused_and_the_way_of_upgrading_works(chart: Chart, server: ApiServer) -> None:
    server.namespace("size")
    release = ("night", CHART, "--namespace", "size", "--values", example("minimal"))
    larger = ("--set", "persistence.size=40Gi")
    helm(chart, server, "install", *release)
    refused = chart.run("upgrade", *release, *larger, *server.helm_options())
    assert "updates to statefulset spec for fields other than" in refused.stderr
    stateful = chart.render(example("minimal"), kubernetes=OLDEST).one("StatefulSet")
    server.client.delete(server.path(stateful, "size")).raise_for_status()
    helm(chart, server, "upgrade", *release, *larger)
    (claim,) = server.client.get(server.path(stateful, "size")).json()["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["resources"]["requests"]["storage"] == "40Gi"
