"""Every example is linted, rendered and held against Kubernetes' own schemas."""

import copy
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from tests.helm.chart import CHART, EXAMPLES, KUBERNETES, Chart, Object, example

OF_OTHERS = {"ServiceMonitor"}  # the Prometheus operator's: Kubernetes itself has no schema of it


def validate(item: Object, kubernetes: str) -> None:
    version = ".".join(kubernetes.split(".")[:2])
    assert kubernetes_validate.validate(item, version, strict=True) == version  # else it took an older one


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_passes_the_linter(chart: Chart, path: Path) -> None:
    answer = chart.run("lint", "--strict", CHART, "--values", path, "--kube-version", KUBERNETES[-1])
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "[WARNING]" not in answer.stdout
    assert "Fail" not in answer.stderr  # a refusal is only a line of the log to the linter


@pytest.mark.parametrize("kubernetes", KUBERNETES)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_an_example_renders_is_what_kubernetes_takes(chart: Chart, path: Path, kubernetes: str) -> None:
    rendered = chart.render(path, kubernetes=kubernetes)
    checked = [item for item in rendered.objects if item["kind"] not in OF_OTHERS]
    for item in checked:
        validate(item, kubernetes)
    assert {"StatefulSet", "ConfigMap", "Service", "ServiceAccount"} <= {item["kind"] for item in checked}


def test_a_manifest_that_kubernetes_would_refuse_is_noticed(chart: Chart) -> None:
    wrong = copy.deepcopy(chart.render(example("minimal")).one("StatefulSet"))
    wrong["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError, match="readynessProbe"):
        validate(wrong, KUBERNETES[-1])


def test_every_optional_part_stands_in_an_example(chart: Chart) -> None:
    kinds = {item["kind"] for path in EXAMPLES for item in chart.render(path).objects}
    assert kinds == {
        "ConfigMap",
        "Deployment",
        "Ingress",
        "NetworkPolicy",
        "Service",
        "ServiceAccount",
        "ServiceMonitor",
        "StatefulSet",
    }


def test_the_oldest_kubernetes_that_is_checked_is_the_oldest_the_chart_takes(chart: Chart) -> None:
    claimed = yaml.safe_load((CHART / "Chart.yaml").read_text())["kubeVersion"]
    assert claimed == f">={KUBERNETES[0]}-0"
    answer = chart.template(example("minimal"), kubernetes="1.31.0")
    assert "requires kubeVersion" in answer.stderr
