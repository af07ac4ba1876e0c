"""The chart, rendered by a real helm and read as objects."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitor.config.strict_yaml import parse
from tests.helm.binary import ROOT

CHART = ROOT / "helm/driftd"
EXAMPLES = sorted((CHART / "examples").glob("*.yaml"))
KUBERNETES = ("1.32.0", "1.37.0")  # the oldest that Chart.yaml takes, and the newest
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
        """The pod template of each workload, by the name of its component."""
        workloads = self.of("StatefulSet") + self.of("Deployment")
        return {w["metadata"]["labels"]["app.kubernetes.io/component"]: w["spec"]["template"] for w in workloads}

    def config(self) -> dict[str, Any]:
        return parse(self.one("ConfigMap")["data"]["driftd.yaml"], "driftd.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    helm: Path
    folder: Path  # for values files

    def render(self, base: Path, *, chart: Path = CHART, kubernetes: str = KUBERNETES[-1], **values: Any) -> Rendered:
        """The manifests of the release `night` with an example's values and `values` over them."""
        answer = self.template(base, chart=chart, kubernetes=kubernetes, **values)
        assert answer.returncode == 0, answer.stderr
        return Rendered(objects=tuple(_documents(answer.stdout)))

    def refusal(self, base: Path, **values: Any) -> str:
        """What helm says when it renders nothing."""
        answer = self.template(base, **values)
        assert answer.returncode != 0, "helm rendered what it should have refused"
        return answer.stderr

    def template(
        self, base: Path, *, chart: Path = CHART, kubernetes: str = KUBERNETES[-1], **values: Any
    ) -> "subprocess.CompletedProcess[str]":
        over = self.folder / "values.json"  # JSON, because Helm and PyYAML guess types of bare words differently
        over.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
        return self.run("template", "night", chart, "--kube-version", kubernetes, "--values", base, "--values", over)

    def run(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([self.helm, *arguments], capture_output=True, text=True, check=False, encoding="utf-8")


def _documents(text: str) -> Iterator[Object]:
    """Each document, read by the strict parser: a key that a template writes twice is an error."""
    for number, document in enumerate(f"\n{text}".split("\n---\n")):
        if found := parse(document, f"document {number}"):
            yield found
