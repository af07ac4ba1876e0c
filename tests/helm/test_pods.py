"""What runs in the cluster: one writer, restricted pods, probes that look at nothing outside."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from monitor.config.server import StoreConfig
from monitor.daemon import STOP_S
from tests.helm.chart import EXAMPLES, Chart, Object, example

MINIMAL, PRODUCTION = example("minimal"), example("production")
ALLOWED_VOLUMES = {"configMap", "emptyDir", "secret", "persistentVolumeClaim", "projected", "csi", "downwardAPI"}


def pods(chart: Chart) -> Iterator[Object]:
    for path in EXAMPLES:
        yield from chart.render(path).pods().values()


def daemon(chart: Chart, base: Path = MINIMAL, **values: Any) -> Object:
    return dict(chart.render(base, **values).pods()["daemon"]["spec"])


def test_one_pod_writes_and_keeps_its_volume(chart: Chart) -> None:
    spec = chart.render(PRODUCTION).one("StatefulSet")["spec"]
    assert spec["replicas"] == 1
    assert spec["persistentVolumeClaimRetentionPolicy"] == {"whenDeleted": "Retain", "whenScaled": "Retain"}
    (claim,) = spec["volumeClaimTemplates"]
    assert claim["spec"]["accessModes"] == ["ReadWriteOncePod"]
    assert claim["spec"]["storageClassName"] == "fast"
    assert claim["spec"]["resources"] == {"requests": {"storage": "100Gi"}}
    mounts = spec["template"]["spec"]["containers"][0]["volumeMounts"]
    assert {"name": claim["metadata"]["name"], "mountPath": "/var/lib/driftd"} in mounts


def test_a_configuration_put_right_reaches_a_pod_that_never_got_ready(chart: Chart) -> None:
    # The StatefulSet controller waits for readiness before every step unless it manages pods in parallel.
    spec = chart.render(MINIMAL).one("StatefulSet")["spec"]
    assert (spec["updateStrategy"]["type"], spec["podManagementPolicy"]) == ("RollingUpdate", "Parallel")


def test_an_update_of_the_chart_leaves_the_volume_claim_as_it_is(chart: Chart) -> None:
    # Kubernetes refuses any change of it, so nothing in it may follow the chart's version.
    (claim,) = chart.render(MINIMAL).one("StatefulSet")["spec"]["volumeClaimTemplates"]
    assert set(claim["metadata"]["labels"]) == {
        "app.kubernetes.io/name",
        "app.kubernetes.io/instance",
        "app.kubernetes.io/component",
    }


def test_the_grace_period_holds_the_daemons_stop_and_a_whole_checkpoint(chart: Chart) -> None:
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
        for container in spec["containers"]:
            assert_restricted(container)


def assert_restricted(container: Object) -> None:
    context = container["securityContext"]
    assert context["allowPrivilegeEscalation"] is False
    assert context["readOnlyRootFilesystem"] is True
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert context["runAsNonRoot"] is True
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not any("hostPort" in port for port in container["ports"])


def test_pods_run_as_a_user_of_their_own_unless_the_platform_chooses(chart: Chart) -> None:
    own = daemon(chart)["securityContext"]
    assert (own["runAsUser"], own["runAsGroup"], own["fsGroup"]) == (10001, 10001, 10001)
    left = daemon(chart, example("without-dashboards"))["securityContext"]
    assert not left.keys() & {"runAsUser", "runAsGroup", "fsGroup"}


def test_no_pod_may_speak_to_the_cluster(chart: Chart) -> None:
    for pod in pods(chart):
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert pod["spec"]["enableServiceLinks"] is False  # a Service's variables have no place in a configuration
    assert chart.render(MINIMAL).one("ServiceAccount")["automountServiceAccountToken"] is False


def test_a_service_account_of_ones_own_is_used(chart: Chart) -> None:
    rendered = chart.render(MINIMAL, serviceAccount={"create": False, "name": "watcher"})
    assert rendered.of("ServiceAccount") == []
    assert {pod["spec"]["serviceAccountName"] for pod in rendered.pods().values()} == {"watcher"}
    assert daemon(chart, serviceAccount={"create": False})["serviceAccountName"] == "default"


def test_tmp_can_be_written_and_home_is_there(chart: Chart) -> None:
    for pod in pods(chart):
        (container,) = pod["spec"]["containers"]
        volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
        (tmp,) = [m["name"] for m in container["volumeMounts"] if m["mountPath"] == "/tmp"]
        assert "emptyDir" in volumes[tmp]
        assert {"name": "HOME", "value": "/tmp"} in container["env"]


def test_everything_else_is_mounted_to_be_read_alone(chart: Chart) -> None:
    for pod in pods(chart):
        (container,) = pod["spec"]["containers"]
        writable = {m["mountPath"] for m in container["volumeMounts"] if not m.get("readOnly")}
        assert writable <= {"/tmp", "/var/lib/driftd"}


def test_the_dashboards_see_their_own_token_and_no_other_secret(chart: Chart) -> None:
    volumes = chart.render(MINIMAL).pods()["dashboards"]["spec"]["volumes"]
    (secret,) = [volume["secret"] for volume in volumes if "secret" in volume]
    assert secret["secretName"] == "driftd"
    assert secret["items"] == [{"key": "dashboards-token", "path": "token"}]


def test_secrets_are_readable_by_the_pods_group_alone(chart: Chart) -> None:
    secrets = [v["secret"] for pod in pods(chart) for v in pod["spec"]["volumes"] if "secret" in v]
    assert {secret["defaultMode"] for secret in secrets} == {0o440}


def test_half_of_the_memory_is_left_to_python(chart: Chart) -> None:
    limits = daemon(chart)["containers"][0]["resources"]["limits"]
    memory_limit_mb = chart.render(MINIMAL).config()["store"]["memory_limit_mb"]
    assert limits["memory"] == "2Gi"
    assert memory_limit_mb == StoreConfig().memory_limit_mb == 1024


@pytest.mark.parametrize("seconds", [30, 3600])
def test_a_start_has_the_time_it_is_given(chart: Chart, seconds: int) -> None:
    probe = daemon(chart, startupTimeoutSeconds=seconds)["containers"][0]["startupProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] == seconds


def test_where_pods_run_is_said_for_each_part(chart: Chart) -> None:
    place: dict[str, Any] = {"nodeSelector": {"disk": "fast"}, "tolerations": [{"key": "llm", "operator": "Exists"}]}
    rendered = chart.render(MINIMAL, **place, dashboards={"priorityClassName": "low"}).pods()
    assert place.items() <= rendered["daemon"]["spec"].items()
    assert not place.keys() & rendered["dashboards"]["spec"].keys()
    assert rendered["dashboards"]["spec"]["priorityClassName"] == "low"


def test_a_digest_wins_over_a_tag(chart: Chart) -> None:
    digest = "sha256:" + "0" * 64
    (container,) = daemon(chart, image={"tag": "9", "digest": digest})["containers"]
    assert container["image"] == f"registry.example.com/driftd@{digest}"
    (container,) = daemon(chart, image={"tag": "9"})["containers"]
    assert container["image"] == "registry.example.com/driftd:9"
