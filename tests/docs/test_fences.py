"""Code in the documents is what it says: configuration loads, JSON is JSON, and the alert is a real one."""

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from monitor.alerting import content, decided_text
from monitor.alerting.sample import samples
from monitor.config.load import load
from replay.evalsets.sealing import key_text
from tests.docs.markdown import PAGES, ROOT, Page, read

pages = pytest.mark.parametrize("page", [read(path) for path in PAGES], ids=lambda page: page.name)
NOT_IN_THE_DEMO = {
    "dashboard",
    "runbook",
    "silence",
    "ack",
    "acked",
    "pinned",
    "cases",
    "accepted",
    "group",
    "failures",
}
ALERT_PAGE = read(ROOT / "docs/read-an-alert.md")


# Of files with a fixed form
CONTENTS = {"key_file": key_text(bytes(32)), "routing_key_file": "R" * 32, "signing_secret_file": f"whsec_{'A' * 32}"}


def write_files(folder: Path, value: Any) -> None:
    """The files that a configuration names, so that it can be loaded anywhere."""
    for key, item in value.items() if isinstance(value, dict) else ():
        if key.endswith("_file"):
            (folder / item).parent.mkdir(parents=True, exist_ok=True)
            (folder / item).write_text(CONTENTS.get(key, "https://hooks.example.com/x"))
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        write_files(folder, item)


@pages
def test_configurations_load(page: Page, tmp_path: Path) -> None:
    for text in page.fences_of("yaml"):
        path = tmp_path / "driftd.yaml"
        path.write_text(text)
        write_files(tmp_path, yaml.safe_load(text))
        load(path, dict.fromkeys(re.findall(r"\$\{(\w+)\}", text), "x"))


@pages
def test_json_is_json(page: Page) -> None:
    for text in page.fences_of("json"):
        json.loads(text)


@pages
def test_every_fence_is_of_a_kind_that_is_checked(page: Page) -> None:
    assert {fence.language for fence in page.fences} <= {"", "sh", "yaml", "yaml pipeline", "json", "python", "text"}


def test_there_is_configuration_and_json_to_check() -> None:
    everything = [read(path) for path in PAGES]
    assert any(page.fences_of("yaml") for page in everything)
    assert sum(len(page.fences_of("json")) for page in everything) >= 2


def row_names(*modules: ModuleType) -> set[str]:
    """The names of the rows that the modules yield."""
    sources = [Path(str(module.__file__)).read_text() for module in modules]
    return {name for source in sources for name in re.findall(r'yield "([\w ]+)", ', source)}


def test_every_line_an_alert_can_have_is_explained() -> None:
    explained = set(ALERT_PAGE.inline)
    assert row_names(content, decided_text) - explained - {"verdict"} == set()
    assert "## Verdicts" in ALERT_PAGE.prose


def test_the_alert_on_the_page_has_the_lines_of_a_real_one() -> None:
    [alert] = ALERT_PAGE.fences_of("text")
    found = {line[2:12].strip() for line in alert.splitlines() if line.startswith("  ")} - {""}
    assert found == row_names(content, decided_text) - NOT_IN_THE_DEMO


def test_the_page_has_every_key_of_a_payload() -> None:
    keys = set(samples()["a regression"]) | {"group", "alerts", "links"}
    assert keys - set(ALERT_PAGE.inline) == set()
