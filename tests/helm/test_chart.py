"""The chart as a whole: its version, its notes, what its README names."""

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import yaml

from tests.helm.binary import ROOT
from tests.helm.chart import CHART, EXAMPLES, Chart, example

README = (CHART / "README.md").read_text()
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())


def test_the_chart_installs_the_version_that_the_project_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == project["version"]


def notes(chart: Chart, base: Path, folder: Path, **values: Any) -> str:
    """NOTES.txt as an installation prints it: without a cluster helm shows it only inside of a manifest."""
    copy = folder / "driftd"
    shutil.copytree(CHART, copy)
    text = (copy / "templates/NOTES.txt").read_text()
    (copy / "templates/_notes.tpl").write_text('{{ define "notes" }}' + text + "{{ end }}")
    (copy / "templates/notes.yaml").write_text(
        'kind: Notes\nmetadata: {name: x}\ntext: {{ include "notes" . | quote }}\n'
    )
    (found,) = chart.render(base, chart=copy, **values).of("Notes")
    return str(found["text"])


def test_the_notes_say_how_to_send_and_where_to_look(chart: Chart, tmp_path: Path) -> None:
    said = notes(chart, example("minimal"), tmp_path)
    assert "OTEL_EXPORTER_OTLP_ENDPOINT=http://night-driftd.default:4318" in said
    assert "port-forward service/night-driftd 8400" in said
    assert "port-forward service/night-driftd-dashboards 8501" in said
    assert "once config.api.dashboard_url says where people reach them" in said
    assert "rollout restart statefulset/night-driftd deployment/night-driftd-dashboards" in said


def test_the_notes_of_a_public_dashboard_warn_that_it_asks_for_no_name(chart: Chart, tmp_path: Path) -> None:
    said = notes(chart, example("production"), tmp_path)
    assert "at driftd.example.com. They ask nobody for a name: see that the ingress does." in said
    assert "dashboard_url" not in said


def test_the_notes_without_dashboards_and_secret_speak_of_neither(chart: Chart, tmp_path: Path) -> None:
    said = notes(chart, example("without-dashboards"), tmp_path)
    assert "dashboards" not in said
    assert "rollout restart" not in said


def test_every_example_stands_in_the_readme() -> None:
    assert set(re.findall(r"examples/([a-z-]+)\.yaml", README)) == {path.stem for path in EXAMPLES}


def test_every_value_that_the_readme_names_is_there() -> None:
    named = set(re.findall(r"`([a-zA-Z]+(?:\.[a-zA-Z_]+)*)`", README)) - {"driftd", "streamlit"}
    assert named, "the README names no value"
    for name in named:
        values: Any = VALUES
        for part in name.split("."):
            assert part in values, f"the README names {name}"
            values = values[part]


def test_every_key_that_an_example_needs_is_said_in_its_first_lines() -> None:
    for path in EXAMPLES:
        text = path.read_text()
        opening = text.split("\nimage:")[0] + text.partition("# Keys:")[2].split("\n")[0]
        for key in set(re.findall(r"/run/secrets/driftd/([a-z-]+)", text)):
            assert key in opening, f"{path.name} does not say that the Secret needs {key}"
