"""Every example is linted, rendered and validated against the schemas of Kubernetes."""

import copy
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from tests.helm.chart import CHART, EXAMPLES, KUBERNETES, LAKE, Chart, Object, example

# Kinds of the Prometheus operator and of the Gateway API, for which Kubernetes has no schema.
OF_OTHERS = {"ServiceMonitor", "PrometheusRule", "HTTPRoute", "GRPCRoute"}


def validate(item: Object, kubernetes: str) -> None:
    version = ".".join(kubernetes.split(".")[:2])
    assert kubernetes_validate.validate(item, version, strict=True) == version  # otherwise it used an older version


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_passes_the_linter(chart: Chart, path: Path) -> None:
    result = chart.run("lint", "--strict", CHART, "--values", path, "--kube-version", KUBERNETES[-1])
    assert result.returncode == 0, result.stdout + result.stderr
    assert "[WARNING]" not in result.stdout
    assert "Fail" not in result.stderr  # the linter reports a refusal only in its log


@pytest.mark.parametrize("kubernetes", KUBERNETES)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_kubernetes_accepts_the_manifests_of_an_example(chart: Chart, path: Path, kubernetes: str) -> None:
    rendered = chart.render(path, kubernetes=kubernetes)
    checked = [item for item in rendered.objects if item["kind"] not in OF_OTHERS]
    for item in checked:
        validate(item, kubernetes)
    workload = "Deployment" if path == LAKE else "StatefulSet"
    assert {workload, "ConfigMap", "Service", "ServiceAccount"} <= {item["kind"] for item in checked}


def test_the_validation_finds_an_invalid_manifest(chart: Chart) -> None:
    wrong = copy.deepcopy(chart.render(example("minimal")).one("StatefulSet"))
    wrong["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError, match="readynessProbe"):
        validate(wrong, KUBERNETES[-1])


def test_the_examples_cover_every_optional_part(chart: Chart) -> None:
    kinds = {item["kind"] for path in EXAMPLES for item in chart.render(path).objects}
    assert kinds == {
        "ConfigMap",
        "Deployment",
        "GRPCRoute",
        "HTTPRoute",
        "HorizontalPodAutoscaler",
        "Ingress",
        "Job",
        "NetworkPolicy",
        "Pod",
        "PodDisruptionBudget",
        "PrometheusRule",
        "Service",
        "ServiceAccount",
        "ServiceMonitor",
        "StatefulSet",
    }


def test_the_oldest_validated_kubernetes_is_the_oldest_that_the_chart_allows(chart: Chart) -> None:
    claimed = yaml.safe_load((CHART / "Chart.yaml").read_text())["kubeVersion"]
    assert claimed == f">={KUBERNETES[0]}-0"
    result = chart.template(example("minimal"), kubernetes="1.27.0")
    assert "requires kubeVersion" in result.stderr
