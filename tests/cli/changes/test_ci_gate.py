"""The pipelines of docs/ci-gate.md: the commands run as they are printed, against a daemon process."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.house import Model, running_model, write_house
from tests.cli.test_serve import start, url_of, wait_until_ready
from tests.docs.markdown import ROOT, read
from tests.ports import free_port

pytestmark = pytest.mark.timeout(300)
PATIENCE_S = 60.0
GITHUB, GITLAB = (yaml.safe_load(text) for text in read(ROOT / "docs/ci-gate.md").fences_of("yaml pipeline"))


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """The shell lines of a job. `shell` is how the service calls bash."""

    script: str
    shell: tuple[str, ...]
    verdict: str


def pipelines() -> Mapping[str, Pipeline]:
    [github] = [step["run"] for step in GITHUB["jobs"]["evaluate"]["steps"] if "run" in step]
    return {
        "github": Pipeline(script=github, shell=("bash", "-eo", "pipefail", "-c"), verdict="verdict.txt"),
        "gitlab": Pipeline(
            script="\n".join(GITLAB["evaluate"]["script"]), shell=("bash", "-e", "-c"), verdict="verdict.json"
        ),
    }


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as found:
        yield found


@dataclass(frozen=True, kw_only=True)
class Runner:
    folder: Path
    environment: Mapping[str, str]

    def deploy(self, pipeline: Pipeline, commit: str) -> "subprocess.CompletedProcess[str]":
        return self.bash(*pipeline.shell, pipeline.script, GITHUB_SHA=commit, CI_COMMIT_SHA=commit)

    def bash(self, *command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        environment = {**self.environment, **variables}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120, check=False
        )


@pytest.fixture
def runner(model: Model, tmp_path: Path) -> Iterator[Runner]:
    """A runner of a pipeline, with the command `driftd`, and a daemon with one imported set."""
    config = write_house(tmp_path, model_url=model.url, api_port=free_port())
    (tmp_path / "token").write_text("open sesame")
    tokens = "tokens: [{name: pipeline, token_file: token, roles: [read, operate]}]"
    text = config.read_text().replace("support:", "support-bot:").replace("api:\n", f"api:\n  {tokens}\n")
    text = text.replace("    model: gpt-4\n", "    model: gpt-4\n    prompt_from: announced\n")
    config.write_text(text)
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin" / "driftd"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from monitor.cli.main import main; main()" "$@"\n')
    shim.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "DRIFTD_URL": url_of(config),
        "DRIFTD_TOKEN": str(tmp_path / "token"),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_RUN_ID": "17",
        "CI_PIPELINE_URL": "https://ci.example.com/17",
    }
    found = Runner(folder=tmp_path, environment=environment)
    process = start(config)
    wait_until_ready(url_of(config), process)
    try:
        reach = ("--url", environment["DRIFTD_URL"], "--token-file", "token")
        imported = found.bash("driftd", "sets", "import", "primes", "primes.jsonl", *reach)
        assert imported.returncode == 0, imported.stderr
        (tmp_path / "prompts").mkdir()
        (tmp_path / "prompts" / "support.md").write_text("Answer yes or no.")
        yield found
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_the_commands_of_the_page_gate_a_deploy(runner: Runner, model: Model, service: str) -> None:
    pipeline = pipelines()[service]
    if service == "github":
        runner = Runner(folder=runner.folder, environment={**runner.environment, "DRIFTD_TOKEN": "open sesame"})

    unknown = runner.deploy(pipeline, "1" * 40)  # nothing was replayed or served yet
    assert unknown.returncode == 2, unknown
    assert "replay a set first" in unknown.stderr

    reach = ("--url", runner.environment["DRIFTD_URL"], "--token-file", str(runner.folder / "token"))
    version = ("--model", model.name, "--prompt-id", "support", "--prompt-version", "0" * 40)
    announce = ("driftd", "changes", "announce", "support-bot", *version, "--prompt-file", "prompts/support.md")
    first = runner.bash(*announce, "--wait", *reach)
    assert first.returncode == 3, first
    assert "first version of the deployment" in first.stdout
    assert runner.bash("driftd", "replay", "run", "support-bot", "primes", *reach).returncode == 0

    good = runner.deploy(pipeline, "2" * 40)
    assert good.returncode == 0, good
    assert "ok: primes" in verdict_of(runner, pipeline)
    assert "change-" in good.stderr

    model.answer = "no"
    bad = runner.deploy(pipeline, "3" * 40)
    assert bad.returncode == 1, bad
    assert "regression: primes" in verdict_of(runner, pipeline)

    again = runner.deploy(pipeline, "3" * 40)  # a pipeline that is run again announces nothing new
    assert again.returncode == 1


def verdict_of(runner: Runner, pipeline: Pipeline) -> str:
    """Return the stored verdict in one form, `verdict: reason`."""
    text = (runner.folder / pipeline.verdict).read_text()
    if not pipeline.verdict.endswith(".json"):
        return text
    document: dict[str, Any] = json.loads(text)
    return f"{document['verdict']}: {document['reason']}"
