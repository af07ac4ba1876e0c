"""The pods: one writer, restricted security contexts, and probes without external dependencies."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from monitor.config.resources import resources_of
from monitor.config.server import IngestConfig
from monitor.config.store import StoreConfig
from monitor.daemon import STOP_S
from replay.machine import Limit, Machine
from tests.helm.chart import EXAMPLES, Chart, Object, example

MINIMAL, PRODUCTION = example("minimal"), example("production")
ALLOWED_VOLUMES = {"configMap", "emptyDir", "secret", "persistentVolumeClaim", "projected", "csi", "downwardAPI"}


def pods(chart: Chart) -> Iterator[Object]:
    for path in EXAMPLES:
        yield from chart.render(path).all_pods()


def daemon(chart: Chart, base: Path = MINIMAL, **values: Any) -> Object:
    return dict(chart.render(base, **values).pods()["daemon"]["spec"])


def test_one_pod_writes_and_its_volume_is_retained(chart: Chart) -> None:
    spec = chart.render(PRODUCTION).one("StatefulSet")["spec"]
    assert spec["replicas"] == 1
    assert spec["persistentVolumeClaimRetentionPolicy"] == {"whenDeleted": "Retain", "whenScaled": "Retain"}
    (claim,) = spec["volumeClaimTemplates"]
    assert claim["spec"]["accessModes"] == ["ReadWriteOncePod"]
    assert claim["spec"]["storageClassName"] == "fast"
    assert claim["spec"]["resources"] == {"requests": {"storage": "100Gi"}}
    mounts = spec["template"]["spec"]["containers"][0]["volumeMounts"]
    assert {"name": claim["metadata"]["name"], "mountPath": "/var/lib/driftd"} in mounts


def test_a_corrected_configuration_replacements_a_pod_that_never_became_ready(chart: Chart) -> None:
    # The StatefulSet controller waits for readiness before every step unless it manages pods in parallel.
    spec = chart.render(MINIMAL).one("StatefulSet")["spec"]
    assert (spec["updateStrategy"]["type"], spec["podManagementPolicy"]) == ("RollingUpdate", "Parallel")


def test_an_update_of_the_chart_does_not_change_the_volume_claim(chart: Chart) -> None:
    # Kubernetes refuses every change of it, so it must not contain the version of the chart.
    (claim,) = chart.render(MINIMAL).one("StatefulSet")["spec"]["volumeClaimTemplates"]
    assert set(claim["metadata"]["labels"]) == {
        "app.kubernetes.io/name",
        "app.kubernetes.io/instance",
        "app.kubernetes.io/component",
    }


def test_the_grace_period_is_longer_than_a_stop_with_a_full_checkpoint(chart: Chart) -> None:
    checkpoint_s = 256 / 4  # the store's checkpoint_threshold in MiB, on a disk that writes 4 MiB a second
    assert daemon(chart)["terminationGracePeriodSeconds"] > STOP_S + checkpoint_s


def test_every_pod_passes_the_restricted_standard(chart: Chart) -> None:
    for pod in pods(chart):
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not spec.keys() & {"hostNetwork", "hostPID", "hostIPC"}
        for volume in spec["volumes"]:
            assert volume.keys() - {"name"} <= ALLOWED_VOLUMES
        for container in [*spec["containers"], *spec.get("initContainers", [])]:
            assert_restricted(container)


def assert_restricted(container: Object) -> None:
    context = container["securityContext"]
    assert context["allowPrivilegeEscalation"] is False
    assert context["readOnlyRootFilesystem"] is True
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert context["runAsNonRoot"] is True
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not any("hostPort" in port for port in container.get("ports", []))


def test_pods_run_as_a_user_of_their_own_unless_the_platform_chooses(chart: Chart) -> None:
    own = daemon(chart)["securityContext"]
    assert (own["runAsUser"], own["runAsGroup"], own["fsGroup"]) == (10001, 10001, 10001)
    unset = daemon(chart, example("without-dashboards"))["securityContext"]
    assert not unset.keys() & {"runAsUser", "runAsGroup", "fsGroup"}


def test_no_pod_has_access_to_the_kubernetes_api(chart: Chart) -> None:
    for pod in pods(chart):
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert pod["spec"]["enableServiceLinks"] is False  # variables of Services must not reach the configuration
    assert chart.render(MINIMAL).one("ServiceAccount")["automountServiceAccountToken"] is False


def test_an_existing_service_account_is_used(chart: Chart) -> None:
    rendered = chart.render(MINIMAL, serviceAccount={"create": False, "name": "monitoring"})
    assert rendered.of("ServiceAccount") == []
    assert {pod["spec"]["serviceAccountName"] for pod in rendered.pods().values()} == {"monitoring"}
    assert daemon(chart, serviceAccount={"create": False})["serviceAccountName"] == "default"


def test_tmp_is_writable_and_is_the_home_folder(chart: Chart) -> None:
    for pod in pods(chart):
        (container,) = pod["spec"]["containers"]
        volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
        (tmp,) = [m["name"] for m in container["volumeMounts"] if m["mountPath"] == "/tmp"]
        assert "emptyDir" in volumes[tmp]
        assert {"name": "HOME", "value": "/tmp"} in container["env"]


def test_all_other_mounts_are_read_only(chart: Chart) -> None:
    for pod in pods(chart):
        (container,) = pod["spec"]["containers"]
        writable = {m["mountPath"] for m in container["volumeMounts"] if not m.get("readOnly")}
        assert writable <= {"/tmp", "/var/lib/driftd", "/srv/driftd/lake", "/srv/driftd/shared"}


@pytest.mark.parametrize(
    ("values", "keys"),
    [({}, []), ({"tokenKey": "reader-token"}, ["reader-token"])],
)
def test_the_dashboards_have_no_other_secret_than_their_own(
    chart: Chart, values: dict[str, Any], keys: list[str]
) -> None:
    volumes = chart.render(MINIMAL, dashboards=values).pods()["dashboards"]["spec"]["volumes"]
    found = [item["key"] for volume in volumes for item in volume.get("secret", {}).get("items", [])]
    assert found == keys


def test_only_the_group_of_the_pod_can_read_secrets(chart: Chart) -> None:
    secrets = [v["secret"] for pod in pods(chart) for v in pod["spec"]["volumes"] if "secret" in v]
    assert {secret["defaultMode"] for secret in secrets} == {0o440}


def test_the_database_gets_a_share_of_the_memory_of_the_pod(chart: Chart) -> None:
    limits = daemon(chart)["containers"][0]["resources"]["limits"]
    assert limits["memory"] == "2Gi"
    memory = Limit(value=2 * 2**30, source="memory.max")
    machine = Machine(memory=memory, cpus=Limit(value=1, source="cpu.max"), in_cgroup=True)
    store = StoreConfig.model_validate(chart.render(MINIMAL).config()["store"])
    assert resources_of(store, IngestConfig(), machine).memory_limit_mb.value == 1126


@pytest.mark.parametrize("seconds", [30, 3600])
def test_the_startup_probe_allows_the_configured_time(chart: Chart, seconds: int) -> None:
    probe = daemon(chart, startupTimeoutSeconds=seconds)["containers"][0]["startupProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] == seconds


def test_each_part_has_its_own_placement(chart: Chart) -> None:
    placement: dict[str, Any] = {
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "llm", "operator": "Exists"}],
    }
    rendered = chart.render(MINIMAL, **placement, dashboards={"priorityClassName": "low"}).pods()
    assert placement.items() <= rendered["daemon"]["spec"].items()
    assert not placement.keys() & rendered["dashboards"]["spec"].keys()
    assert rendered["dashboards"]["spec"]["priorityClassName"] == "low"


def test_a_temporary_folder_cannot_fill_the_node(chart: Chart) -> None:
    found = [v["emptyDir"]["sizeLimit"] for pod in pods(chart) for v in pod["spec"]["volumes"] if "emptyDir" in v]
    assert set(found) == {"256Mi", "64Mi", "16Mi", "4Gi"}
    (tmp,) = [v for v in daemon(chart, tmpSize="1Gi")["volumes"] if v["name"] == "tmp"]
    assert tmp["emptyDir"] == {"sizeLimit": "1Gi"}


def test_every_container_has_resources_and_pulls_with_the_secrets_of_the_registry(chart: Chart) -> None:
    for pod in pods(chart):
        for container in [*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])]:
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}
            assert "memory" in container["resources"]["limits"]
    for pod in chart.render(PRODUCTION).all_pods():
        assert pod["spec"]["imagePullSecrets"] == [{"name": "registry"}]


def test_every_object_and_pod_has_the_common_labels_and_annotations(chart: Chart) -> None:
    labels, annotations = {"team": "support", "app.kubernetes.io/part-of": "shop"}, {"owner": "on-call"}
    for path in EXAMPLES:
        rendered = chart.render(path, commonLabels=labels, commonAnnotations=annotations)
        for item in [*rendered.objects, *rendered.all_pods()]:
            assert labels.items() <= item["metadata"]["labels"].items()
            assert annotations.items() <= item["metadata"]["annotations"].items()
        for workload in rendered.of("StatefulSet") + rendered.of("Deployment"):
            assert not labels.keys() & workload["spec"]["selector"]["matchLabels"].keys()  # it cannot change


def test_a_label_of_a_part_has_priority_over_a_common_one(chart: Chart) -> None:
    rendered = chart.render(MINIMAL, commonLabels={"tier": "a"}, podLabels={"tier": "b"})
    assert rendered.pods()["daemon"]["metadata"]["labels"]["tier"] == "b"
    assert rendered.pods()["dashboards"]["metadata"]["labels"]["tier"] == "a"


EXTRAS: dict[str, Any] = {
    "extraEnv": [{"name": "SSL_CERT_FILE", "value": "/ca/ca.crt"}],
    "envFrom": [{"secretRef": {"name": "variables"}}],
    "extraVolumes": [{"name": "ca", "configMap": {"name": "ca"}}],
    "extraVolumeMounts": [{"name": "ca", "mountPath": "/ca", "readOnly": True}],
    "extraContainers": [{"name": "second", "image": "x"}],
    "initContainers": [{"name": "before", "image": "x", "securityContext": {"runAsUser": 7}}],
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}],
}


@pytest.mark.parametrize("part", ["daemon", "dashboards"])
def test_each_part_takes_variables_volumes_and_containers(chart: Chart, part: str) -> None:
    rendered = chart.render(MINIMAL, **(EXTRAS if part == "daemon" else {"dashboards": EXTRAS}))
    spec = rendered.pods()[part]["spec"]
    own, second = spec["containers"]
    assert EXTRAS["extraEnv"][0] in own["env"]
    assert own["envFrom"] == EXTRAS["envFrom"]
    assert EXTRAS["extraVolumeMounts"][0] in own["volumeMounts"]
    assert EXTRAS["extraVolumes"][0] in spec["volumes"]
    assert_restricted(second)
    (before,) = spec["initContainers"]
    assert before["securityContext"]["runAsUser"] == 7
    (spread,) = spec["topologySpreadConstraints"]
    assert spread["labelSelector"]["matchLabels"].items() <= rendered.pods()[part]["metadata"]["labels"].items()
    (other,) = [pod["spec"] for name, pod in rendered.pods().items() if name != part]
    assert len(other["containers"]) == 1
    assert not {"initContainers", "topologySpreadConstraints"} & other.keys()


def test_an_existing_claim_replaces_the_template(chart: Chart) -> None:
    rendered = chart.render(MINIMAL, persistence={"existingClaim": "driftd-data"})
    spec = rendered.one("StatefulSet")["spec"]
    assert not {"volumeClaimTemplates", "persistentVolumeClaimRetentionPolicy"} & spec.keys()
    (data,) = [v for v in spec["template"]["spec"]["volumes"] if v["name"] == "data"]
    assert data["persistentVolumeClaim"] == {"claimName": "driftd-data"}
    retention = {"whenDeleted": "Delete", "whenScaled": "Retain"}
    deleted = chart.render(MINIMAL, persistence={"retentionPolicy": {"whenDeleted": "Delete"}}).one("StatefulSet")
    assert deleted["spec"]["persistentVolumeClaimRetentionPolicy"] == retention


def test_the_token_of_the_dashboards_can_be_in_a_secret_of_its_own(chart: Chart) -> None:
    (secret,) = [
        volume["secret"]
        for volume in chart.render(example("kafka")).pods()["dashboards"]["spec"]["volumes"]
        if "secret" in volume
    ]
    assert secret["secretName"] == "driftd-pages"
    assert [item["key"] for item in secret["items"]] == ["pages-token"]


def test_the_pod_restarts_after_a_change_of_its_files_only(chart: Chart) -> None:
    def checksum(**values: Any) -> str:
        pod = chart.render(MINIMAL, **values).pods()["daemon"]
        return str(pod["metadata"]["annotations"]["checksum/config"])

    before = checksum()
    assert checksum(configFiles={"support.md": "text"}) != before
    assert checksum(config={"alerts": {"repeat_s": 60}}) != before
    assert checksum(commonLabels={"team": "a"}, service={"type": "NodePort"}) == before


def test_a_digest_has_priority_over_a_tag(chart: Chart) -> None:
    digest = "sha256:" + "0" * 64
    (container,) = daemon(chart, image={"tag": "9", "digest": digest})["containers"]
    assert container["image"] == f"registry.example.com/driftd@{digest}"
    (container,) = daemon(chart, image={"tag": "9"})["containers"]
    assert container["image"] == "registry.example.com/driftd:9"
