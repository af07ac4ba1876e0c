"""A set of programs from an empty folder to a verdict, with the programs in a real cluster."""

from pathlib import Path

import pytest
import yaml
from aiohttp import web

from replay.sandbox.kubernetes.settings import ClusterSettings
from tests.cli.conftest import Run, run
from tests.kubernetes.node import Cluster
from tests.kubernetes.test_code_sandbox import left
from tests.observability.real.prometheus import until
from tests.replay.judges.served import served
from tests.replay.model_server import Asked, completion

__all__ = ["run"]
pytestmark = pytest.mark.xdist_group("kubernetes")
CASES = 12


def answer(asked: Asked) -> web.Response:
    """Answer with a program that is right, except for cases 3 and 4."""
    number = int(asked.question.rpartition(" ")[2].rstrip("?"))
    wrong = {3: "def add(x): return x", 4: "def add(x) return x"}
    return completion(f"```python\n{wrong.get(number, f'def add(x): return x + {number}')}\n```")


def configuration(folder: Path, settings: ClusterSettings, base_url: str, **changes: object) -> Path:
    document = {
        "store": {"path": "driftd.duckdb"},
        "targets": {"coder": {"base_url": base_url, "model": "coder-1", "concurrency": 6}},
        "deployments": {"bot": {"target": "coder", "sets": ["programs"]}},
        "sets": {"programs": {"kind": "frozen", "key_file": "programs.key", "scorers": [{"kind": "code"}]}},
        "sandbox": {
            "kind": "kubernetes",
            "namespace": settings.namespace,
            "image": settings.image,
            "url": settings.url,
            "token_file": str(settings.token_file),
            "ca_file": str(settings.ca_file),
            "cpu": settings.cpu,
            **changes,
        },
    }
    path = folder / "driftd.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


def test_a_set_of_programs_is_replayed_with_its_programs_in_the_cluster(
    run: Run, settings: ClusterSettings, node: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replay.scorers.code.run_python", lambda *_args, **_options: pytest.fail("it ran here"))
    cases = [
        {"id": f"c{n}", "input": f"Write add: x plus {n}?", "tests": [f"assert add(1) == {n + 1}"]}
        for n in range(CASES)
    ]
    (tmp_path / "cases.yaml").write_text(yaml.safe_dump(cases))
    with served(answer) as server:
        assert run("sets", "key", tmp_path / "programs.key").code == 0
        path = configuration(tmp_path, settings, server.base_url)
        imported = run("sets", "import", "programs", tmp_path / "cases.yaml", "--config", path)
        assert imported.code == 0, imported.err
        checked = run("check", "--config", path)
        assert "a Job of Kubernetes runs the programs of programs" in checked.out, checked.out
        replayed = run("replay", "run", "bot", "programs", "--json", "--config", path).document
        found = run("report", "run", replayed["id"], "--json", "--config", path).document["run"]
        failures = {each["failure_category"]: each["count"] for each in found["failure_categories"]}
        assert found["manifest"]["extra"]["sandbox"] == "kubernetes"
        assert (found["scored"], failures) == (CASES, {"code_error": 1, "wrong_answer": 1})
        until("Kubernetes removed everything", lambda: not left(node), 60)

        configuration(tmp_path, settings, server.base_url, namespace="elsewhere")
        refused = run("check", "--config", path)
        assert refused.code == 1
        assert "refuses to create jobs in the namespace 'elsewhere': 403" in refused.out
