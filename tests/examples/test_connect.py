"""docs/connect.md: the records it shows are taken as they stand, and find each other."""

import json
import re
from pathlib import Path
from typing import Any

from tests.app.house import DEPLOYMENT, daemon
from tests.docs.markdown import ROOT, read

PAGE = read(ROOT / "docs/connect.md")
ENVIRONMENT = re.compile(r"OTEL_[A-Z_]+=\S+")


def shown() -> tuple[dict[str, Any], dict[str, Any]]:
    [interaction] = re.findall(r"-d '(\{.*?\})'", "\n".join(PAGE.fences_of("")), re.DOTALL)
    [feedback] = PAGE.fences_of("json")
    return json.loads(interaction), json.loads(feedback)


def test_the_records_on_the_page_are_taken_and_linked(tmp_path: Path) -> None:
    interaction, feedback = ({**record, "deployment": DEPLOYMENT} for record in shown())
    with daemon(tmp_path) as house:
        for route, record in (("interactions", interaction), ("feedback", feedback)):
            answer = house.api.post(f"/api/v1/{route}", json=record).raise_for_status().json()
            assert answer == {"accepted": 1, "duplicates": 0, "rejected": []}
        house.app.settle(30.0)
        [call], [signal] = house.listed("interactions"), house.listed("feedback")
    assert (call["prompt_id"], call["prompt_version"], call["content_state"]) == ("support", "7", "full")
    assert signal["linked_interaction_id"] == call["id"]
    assert signal["is_correction"]


def test_the_same_records_are_lines_of_a_file(tmp_path: Path) -> None:
    from monitor.clock import SystemClock
    from monitor.ingest.native.record import decode_record

    interaction, feedback = shown()
    for record in ({"type": "interaction", **interaction}, feedback):
        decode_record(json.loads(json.dumps(record)), SystemClock().now(), "unknown", "file")


def test_the_variables_on_the_page_are_those_of_opentelemetry() -> None:
    from opentelemetry.sdk import environment_variables as known

    named = {line.split("=", 1)[0] for line in PAGE.shell if ENVIRONMENT.fullmatch(line)}
    of_the_sdk = {name for name in named if "INSTRUMENTATION" not in name}
    assert len(of_the_sdk) == 4
    assert of_the_sdk <= {getattr(known, name) for name in dir(known) if name.startswith("OTEL_")}
