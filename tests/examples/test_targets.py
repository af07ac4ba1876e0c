"""The commands of docs/targets.md, unchanged and in order, on the files of the example."""

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from replay.evalsets.case_codec import case_from_json
from replay.recorded.data import load_recorded
from replay.recorded.endpoint import RecordedEndpoint
from tests.cli.conftest import Run, run  # noqa: F401  a fixture
from tests.docs.markdown import ROOT, read

EXAMPLES = ROOT / "examples"
PAGE = read(ROOT / "docs/targets.md")
DOCUMENTED = "http://127.0.0.1:8000"


@pytest.fixture
def address() -> Iterator[str]:
    endpoint = RecordedEndpoint(load_recorded(EXAMPLES / "support-bot/answers.jsonl"), model="support-llm")
    endpoint.start()
    yield endpoint.address
    endpoint.stop()


@pytest.fixture
def folder(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the examples next to an endpoint on a free port. The first command of the page changes into one of them."""
    for name in ("targets", "support-bot"):
        shutil.copytree(EXAMPLES / name, tmp_path / name)
    config = tmp_path / "targets/driftd.yaml"
    config.write_text(config.read_text().replace(DOCUMENTED, address))
    monkeypatch.chdir(config.parent)
    return config.parent


def test_the_commands_of_the_page_work(folder: Path, run: Run) -> None:  # noqa: F811
    commands = [shlex.split(line) for line in PAGE.shell if line.startswith("driftd ")]
    assert len(commands) == 8
    for words in commands:
        options = ["--json"] if words[1] == "replay" else []
        result = run(*words[1:], *options)
        assert result.code == 0, (words, result.out, result.err)
        if words[1] == "replay":
            done = result.document
            assert (done["scored"], done["passed"], done["manifest"]["errors"]) == (5, 5, {}), words
            assert done["version_label"].startswith("support-llm-2026-03"), words


def test_every_kind_has_its_run(folder: Path, run: Run) -> None:  # noqa: F811
    asked = {words[3] for line in PAGE.shell if (words := shlex.split(line))[1:3] == ["replay", "run"]}
    assert asked == {"chat", "responses", "messages", "application", "program"}


def test_the_case_on_the_page_is_valid() -> None:
    [case] = [text for text in PAGE.fences_of("json") if '"input"' in text]
    read_back = case_from_json(json.loads(case), "docs/targets.md")
    assert (len(read_back.input), len(read_back.tools), len(read_back.tool_results)) == (3, 1, 2)
