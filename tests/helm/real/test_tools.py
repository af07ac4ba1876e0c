"""The chart under the tools of others: helm-unittest, kubeconform and kube-score."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.helm.chart import CHART, EXAMPLES, Chart, Object, example

VERSIONS = ("1.28.0", "1.33.0", "1.37.0")
SCHEMAS = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
# What kube-score would like and the chart does otherwise, with the reason.
IGNORED = {
    "pod-networkpolicy": "a policy is a choice of the operator: networkPolicy.enabled",
    "networkpolicy-targets-pod": "it reads no labels of pods of hooks",
    "container-image-pull-policy": "a digest or a version is not pulled again",
    "container-ephemeral-storage-request-and-limit": "the emptyDirs have a sizeLimit",
    "container-resources": "a CPU limit throttles a daemon that must answer probes; memory is limited",
    "deployment-has-poddisruptionbudget": "the pages have one, with maxUnavailable 1 of 1",
    "statefulset-has-poddisruptionbudget": "the daemon has one, with maxUnavailable 1 of 1",
    "poddisruptionbudget-has-policy": "one writer",
    "deployment-replicas": "a session lives in its process",
    "statefulset-has-host-podantiaffinity": "one replica",
    "deployment-has-host-podantiaffinity": "one replica",
    "pod-probes": "the liveness probe differs from the readiness probe only in the daemon",
    "pod-probes-identical": "the pages have one health check",
}


def manifests(chart: Chart, path: Path, folder: Path, kubernetes: str = VERSIONS[-1]) -> Path:
    file = folder / "manifests.yaml"
    file.write_text(yaml.safe_dump_all(chart.render(path, kubernetes=kubernetes).objects))
    return file


def schemas(tools: Path, folder: Path, kubernetes: str) -> list[str]:
    """Return the options of kubeconform for the schemas of one version, and of the custom resources."""
    for file in (tools / "definitions").glob("*.yaml"):
        spec = yaml.safe_load(file.read_text())["spec"]
        for version in spec["versions"]:
            kind = spec["names"]["singular"]
            schema = closed(version["schema"]["openAPIV3Schema"])
            (folder / f"{kind}_{version['name']}.json").write_text(json.dumps(schema))
    kinds = folder / f"kubernetes-{kubernetes}"
    kinds.mkdir()
    for file in (SCHEMAS / f"v{kubernetes}-local-strict").glob("*.json"):
        if file.name == "_definitions.json" or re.fullmatch(r"[a-z]+-([a-z]+-)?v[12]", file.stem):
            # Their ids would make kubeconform look for the definitions on kubernetes.io.
            schema = json.loads(file.read_text().replace('"/api/_definitions.json#', '"_definitions.json#'))
            (kinds / file.name).write_text(json.dumps({key: value for key, value in schema.items() if key != "$id"}))
    own = f"{kinds}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
    others = f"{folder}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json"
    return ["-schema-location", own, "-schema-location", others]


def closed(schema: Any) -> Any:
    """Return the schema with every object closed, as the API server prunes what it does not know."""
    if isinstance(schema, dict):
        found = {key: closed(value) for key, value in schema.items()}
        if isinstance(found.get("properties"), dict) and "x-kubernetes-preserve-unknown-fields" not in found:
            found.setdefault("additionalProperties", False)
        if found.get("type") == "object" and "metadata" in found.get("properties", {}):
            found["properties"]["metadata"] = {"type": "object"}
        return found
    return [closed(each) for each in schema] if isinstance(schema, list) else schema


def conform(tools: Path, options: list[str], file: Path, kubernetes: str) -> "subprocess.CompletedProcess[str]":
    command: list[str | Path] = [
        tools / "kubeconform",
        "-strict",
        "-summary",
        "-kubernetes-version",
        kubernetes,
        *options,
        file,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_suites_of_helm_unittest_pass(tools: Path) -> None:
    result = subprocess.run([tools / "helm-unittest", "--strict", CHART], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "4 passed, 4 total" in result.stdout  # suites
    text = (CHART / "tests/examples_test.yaml").read_text()
    assert all(f"../examples/{path.name}" in text for path in EXAMPLES)


@pytest.mark.parametrize("kubernetes", VERSIONS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_kubeconform_accepts_every_object_of_an_example(
    chart: Chart, tools: Path, tmp_path: Path, path: Path, kubernetes: str
) -> None:
    file = manifests(chart, path, tmp_path, kubernetes)
    result = conform(tools, schemas(tools, tmp_path, kubernetes), file, kubernetes)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Invalid: 0, Errors: 0, Skipped: 0" in result.stdout


@pytest.mark.parametrize("kind", ["ServiceMonitor", "GRPCRoute", "StatefulSet"])
def test_kubeconform_finds_an_unknown_key(chart: Chart, tools: Path, tmp_path: Path, kind: str) -> None:
    rendered = chart.render(example("gateway"), serviceMonitor={"enabled": True})
    item: Object = next(each for each in rendered.objects if each["kind"] == kind)
    item["spec"]["unknownKey"] = True
    (tmp_path / "wrong.yaml").write_text(yaml.safe_dump(item))
    result = conform(tools, schemas(tools, tmp_path, VERSIONS[-1]), tmp_path / "wrong.yaml", VERSIONS[-1])
    assert result.returncode == 1
    assert "unknownKey" in result.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_kube_score_finds_nothing_that_has_no_reason(chart: Chart, tools: Path, tmp_path: Path, path: Path) -> None:
    file = manifests(chart, path, tmp_path)
    names = [*IGNORED, *(["container-security-context-user-group-id"] if path.stem == "without-dashboards" else [])]
    ignored = [option for name in names for option in ("--ignore-test", name)]
    command: list[str | Path] = [tools / "kube-score", "score", "--output-format", "ci", *ignored, file]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [line for line in result.stdout.splitlines() if line.startswith(("[CRITICAL]", "[WARNING]"))]
    assert found == []
    assert "[OK]" in result.stdout
