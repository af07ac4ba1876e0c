"""The records of docs/connect.md are accepted unchanged, and the feedback is linked to its call."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from monitor.cli.main import app
from tests.app.house import DEPLOYMENT, House, daemon
from tests.docs.markdown import ROOT, read

PAGE = read(ROOT / "docs/connect.md")
ENVIRONMENT = re.compile(r"OTEL_[A-Z_]+=\S+")


def page_records() -> list[dict[str, Any]]:
    """Return the interaction and the feedback of the page, for a deployment of the test daemon."""
    [interaction] = re.findall(r"-d '(\{.*?\})'", "\n".join(PAGE.fences_of("")), re.DOTALL)
    [feedback] = PAGE.fences_of("json")
    records = {"type": "interaction", **json.loads(interaction)}, json.loads(feedback)
    return [{**record, "deployment": DEPLOYMENT} for record in records]


def post(house: House, _folder: Path) -> None:
    for route, record in zip(("interactions", "feedback"), page_records(), strict=True):
        answer = house.api.post(f"/api/v1/{route}", json=record).raise_for_status().json()
        assert answer == {"accepted": 1, "duplicates": 0, "rejected": []}


def ingest_file(house: House, folder: Path) -> None:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in page_records()))
    result = CliRunner().invoke(app, ["ingest", str(path), "--url", house.app.addresses["api"]])
    assert result.exit_code == 0, result.output


def stored_rows(folder: Path, send: Callable[[House, Path], None]) -> list[dict[str, Any]]:
    """Send the records to a new daemon and return the stored call and the stored feedback."""
    folder.mkdir()
    with daemon(folder) as house:
        send(house, folder)
        house.app.settle(30.0)
        return [*house.listed("interactions"), *house.listed("feedback")]


def test_the_records_on_the_page_are_accepted_and_linked(tmp_path: Path) -> None:
    call, signal = stored_rows(tmp_path / "api", post)
    assert (call["prompt_id"], call["prompt_version"], call["content_state"]) == ("support", "7", "full")
    assert signal["linked_interaction_id"] == call["id"]
    assert signal["is_correction"]


def test_the_records_of_the_page_are_the_same_rows_from_a_file(tmp_path: Path) -> None:
    rows = {"api": stored_rows(tmp_path / "api", post), "file": stored_rows(tmp_path / "file", ingest_file)}
    assert (rows["api"][0].pop("source"), rows["file"][0].pop("source")) == ("http", "file")
    for call, _ in rows.values():
        # The two daemons receive the records a few milliseconds apart.
        del call["clock_ahead_s"]
    assert rows["api"] == rows["file"]


def test_the_variables_on_the_page_are_those_of_opentelemetry() -> None:
    from opentelemetry.sdk import environment_variables as known

    named = {line.split("=", 1)[0] for line in PAGE.shell if ENVIRONMENT.fullmatch(line)}
    of_the_sdk = {name for name in named if "INSTRUMENTATION" not in name}
    assert len(of_the_sdk) == 4
    assert of_the_sdk <= {getattr(known, name) for name in dir(known) if name.startswith("OTEL_")}
