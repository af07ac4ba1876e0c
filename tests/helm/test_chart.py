"""The chart as a whole: its version, its notes and its README."""

import re
import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import yaml

from tests.helm.binary import ROOT
from tests.helm.chart import CHART, EXAMPLES, LAKE, ROLES, Chart, example

README = (CHART / "README.md").read_text()
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())


def test_the_chart_installs_the_version_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == project["version"]


def notes(chart: Chart, base: Path, folder: Path, **values: Any) -> str:
    """Return NOTES.txt as an installation prints it. Without a cluster helm renders it only inside a manifest."""
    copy = Path(tempfile.mkdtemp(dir=folder)) / "driftd"
    shutil.copytree(CHART, copy)
    template = (copy / "templates/NOTES.txt").read_text()
    (copy / "templates/_notes.tpl").write_text('{{ define "notes" }}' + template + "{{ end }}")
    (copy / "templates/notes.yaml").write_text(
        'kind: Notes\nmetadata: {name: x}\ntext: {{ include "notes" . | quote }}\n'
    )
    (found,) = chart.render(base, chart=copy, **values).of("Notes")
    return str(found["text"])


def test_the_notes_have_the_commands_for_telemetry_the_api_and_the_dashboards(chart: Chart, tmp_path: Path) -> None:
    text = notes(chart, example("minimal"), tmp_path)
    assert "OTEL_EXPORTER_OTLP_ENDPOINT=http://night-driftd.default:4318" in text
    assert "port-forward service/night-driftd 8400" in text
    assert "port-forward service/night-driftd-dashboards 8501" in text
    assert "Set config.api.dashboard_url to their public URL" in text
    assert "rollout restart statefulset/night-driftd deployment/night-driftd-dashboards" in text


def test_the_notes_name_the_login_of_the_dashboards(chart: Chart, tmp_path: Path) -> None:
    text = notes(chart, example("production"), tmp_path)
    assert "at driftd.example.com.\nReaders log in with https://login.example.com/realms/company." in text
    assert "dashboard_url" not in text
    assert "Each reader logs in with an API token" in notes(chart, example("minimal"), tmp_path)
    shared = notes(chart, example("minimal"), tmp_path, dashboards={"tokenKey": "reader-token"})
    assert "all readers have the roles of the token reader-token" in shared


def test_the_notes_without_dashboards_and_secret_mention_neither(chart: Chart, tmp_path: Path) -> None:
    text = notes(chart, example("without-dashboards"), tmp_path)
    assert "dashboards" not in text
    assert "rollout restart" not in text


def test_the_notes_of_a_lake_name_its_workloads_and_what_does_not_work(chart: Chart, tmp_path: Path) -> None:
    text = notes(chart, LAKE, tmp_path)
    assert "OTEL_EXPORTER_OTLP_ENDPOINT=http://night-driftd-otlp.default:4318" in text
    workloads = " ".join(f"deployment/night-driftd-{role}" for role in ROLES)
    assert f"rollout restart {workloads} deployment/night-driftd-dashboards" in text
    assert "do not work" not in text
    alone = notes(chart, LAKE, tmp_path, roles={"sharedClaim": "", "paused": True})
    assert "is paused in default: no process uses the lake" in alone
    assert "uploads of results and the pages of traffic reports do not work" in alone


def test_the_readme_lists_every_example() -> None:
    assert set(re.findall(r"examples/([a-z-]+)\.yaml", README)) == {path.stem for path in EXAMPLES}


def test_every_value_in_the_readme_exists() -> None:
    guide = README.split("## Values\n")[0]  # the rest is generated
    named = set(re.findall(r"`([a-zA-Z]+(?:\.[a-zA-Z_]+)*)`", guide)) - {"driftd", "tls"}
    assert named, "the README names no value"
    for name in named:
        values: Any = VALUES
        for part in name.split("."):
            assert part in values, f"the README names {name}"
            values = values[part]


def test_the_first_lines_of_an_example_name_every_key_of_its_secret() -> None:
    for path in EXAMPLES:
        text = path.read_text()
        opening = text.split("\nimage:")[0] + text.partition("# Keys:")[2].split("\n")[0]
        for key in set(re.findall(r"/run/secrets/driftd/([a-z-]+)", text)):
            assert key in opening, f"{path.name} does not name the key {key} of its Secret"
