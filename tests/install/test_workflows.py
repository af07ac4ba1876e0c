"""The workflows of GitHub Actions start commands that exist, with no more permissions than they need."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.markdown import ROOT

FOLDER = ROOT / ".github" / "workflows"
SIGNING = {"id-token", "attestations"}
workflows = pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yml")), ids=lambda path: path.name)


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def steps(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job.get("steps", ())


@workflows
def test_its_commands_exist(path: Path) -> None:
    targets = re.findall(r"^([\w.-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for step in steps(read(path)):
        for target in re.findall(r"\bmake ([\w-]+)", step.get("run", "")):
            assert target in targets
        for script in re.findall(r"(?:^|\s)(\.ci/[\w-]+)", step.get("run", "")):
            assert (ROOT / script).is_file()
    for job in read(path)["jobs"].values():
        assert (ROOT / job["uses"]).is_file() if "uses" in job else job["steps"]


@workflows
def test_it_can_only_read_unless_a_job_needs_more(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        attests = any("attest" in step.get("uses", "") for step in job.get("steps", ()))
        assert (set(job.get("permissions", ())) >= SIGNING) == attests


@workflows
def test_its_actions_have_a_version_and_its_checkouts_keep_no_credentials(path: Path) -> None:
    for step in steps(read(path)):
        if "uses" in step:
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False


def test_the_version_of_a_tag_is_compared_with_that_of_the_package() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^version = "\d+\.\d+\.\d+"$', text, re.MULTILINE)
    [check] = [
        step["run"] for step in steps(read(FOLDER / "release.yml")) if "GITHUB_REF_NAME#v" in step.get("run", "")
    ]
    assert check.endswith("pyproject.toml")
