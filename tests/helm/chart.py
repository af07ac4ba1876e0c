"""Render the chart with helm and decode the manifests."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitor.config.strict_yaml import parse
from tests.helm.binary import ROOT

CHART = ROOT / "helm/driftd"
ROLES = ("ingest", "control", "work", "maintain", "api")
EXAMPLES = sorted((CHART / "examples").glob("*.yaml"))
LAKE = CHART / "examples/lake.yaml"
FILE_EXAMPLES = [path for path in EXAMPLES if path != LAKE]
KUBERNETES = ("1.28.0", "1.37.0")  # the oldest that Chart.yaml allows, and the newest
SECRETS = "/run/secrets/driftd/"

Values = Mapping[str, Any]
Object = dict[str, Any]


def example(name: str) -> Path:
    return CHART / f"examples/{name}.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    objects: tuple[Object, ...]

    def of(self, kind: str) -> list[Object]:
        return [item for item in self.objects if item["kind"] == kind]

    def one(self, kind: str, name: str = "night-driftd") -> Object:
        (found,) = [item for item in self.of(kind) if item["metadata"]["name"] == name]
        return found

    def pods(self) -> dict[str, Object]:
        """Return the pod template of each workload, by the name of its component."""
        workloads = self.of("StatefulSet") + self.of("Deployment")
        return {w["metadata"]["labels"]["app.kubernetes.io/component"]: w["spec"]["template"] for w in workloads}

    def all_pods(self) -> Iterator[Object]:
        """Yield the pod template of each workload and of each Job, and the pod of `helm test`."""
        yield from self.pods().values()
        yield from (job["spec"]["template"] for job in self.of("Job"))
        yield from self.of("Pod")

    def config(self) -> dict[str, Any]:
        return parse(self.one("ConfigMap")["data"]["driftd.yaml"], "driftd.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    helm: Path
    folder: Path  # for values files

    def render(
        self,
        base: Path,
        *,
        chart: Path = CHART,
        kubernetes: str = KUBERNETES[-1],
        release: str = "night",
        namespace: str = "default",
        **values: Any,
    ) -> Rendered:
        """Return the manifests of a release with the values of an example and `values` merged over them."""
        result = self.template(base, chart=chart, kubernetes=kubernetes, release=release, namespace=namespace, **values)
        assert result.returncode == 0, result.stderr
        return Rendered(objects=tuple(_documents(result.stdout)))

    def refusal(self, base: Path, **values: Any) -> str:
        """Return the error message of helm."""
        result = self.template(base, **values)
        assert result.returncode != 0, "helm rendered invalid values"
        return result.stderr

    def template(
        self,
        base: Path,
        *,
        chart: Path = CHART,
        kubernetes: str = KUBERNETES[-1],
        release: str = "night",
        namespace: str = "default",
        **values: Any,
    ) -> "subprocess.CompletedProcess[str]":
        over = self.folder / "values.json"  # JSON, because Helm and PyYAML read some bare words as different types
        over.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
        options = ("--kube-version", kubernetes, "--namespace", namespace, "--values", base, "--values", over)
        return self.run("template", release, chart, *options)

    def run(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([self.helm, *arguments], capture_output=True, text=True, check=False, encoding="utf-8")


def _documents(text: str) -> Iterator[Object]:
    """Yield each document. The strict parser refuses a key that a template writes twice."""
    for number, document in enumerate(f"\n{text}".split("\n---\n")):
        if found := parse(document, f"document {number}"):
            yield found
