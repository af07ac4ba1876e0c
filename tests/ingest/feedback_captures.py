"""The captured requests under tests/data/feedback, and the true feedback in them."""

import json
from pathlib import Path
from typing import Any

from tests.ingest.capture import Capture, captures_in

DATA = Path(__file__).parent.parent / "data" / "feedback"
CLIENTS = ("otel-evaluation-events", "openinference-openai", "langfuse-sdk", "mlflow-otlp")


def feedback_captures(client: str) -> tuple[Capture, ...]:
    """Return every request of one client in order of arrival."""
    return captures_in(DATA / client)


def expected_feedback(client: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DATA / "EXPECTED.json").read_text())[client]
    return found
