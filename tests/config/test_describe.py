import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from pydantic import BaseModel

from monitor.config.describe import documents, main, sections
from monitor.config.tree import Config
from tests.config.builders import working

ROOT = Path(__file__).parents[2]
SECTIONS = [(path, model) for path, model in sections(Config, "")]


def test_the_generated_files_are_current() -> None:
    assert main(["--check", "--folder", str(ROOT / "docs")]) == 0, "run python -m monitor.config.describe"


@pytest.mark.parametrize(("path", "model"), SECTIONS, ids=[path or "file" for path, _ in SECTIONS])
def test_every_key_has_a_description_and_a_reason(path: str, model: type[BaseModel]) -> None:
    for key, field in model.model_fields.items():
        assert field.description, f"{path}.{key} has no description"
        assert isinstance(field.json_schema_extra, dict), f"{path}.{key} has no reason"
        assert field.json_schema_extra["reason"]


def test_the_schema_accepts_valid_configurations() -> None:
    schema = json.loads(documents()["config.schema.json"])
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(working(), schema)
    jsonschema.validate(yaml.safe_load((ROOT / "examples/support-bot/driftd.yaml").read_text()), schema)


def test_the_schema_refuses_an_unknown_key() -> None:
    schema = json.loads(documents()["config.schema.json"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(working(targets__model__timeout=3), schema)


def test_check_reports_a_stale_file_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--folder", str(tmp_path), "--check"]) == 1
    assert "config.md is stale; run python -m monitor.config.describe" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_written_files_are_current(tmp_path: Path) -> None:
    assert main(["--folder", str(tmp_path)]) == 0
    assert main(["--folder", str(tmp_path), "--check"]) == 0
