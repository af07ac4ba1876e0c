"""The captured requests under tests/data/feedback, and the truth about the feedback in them."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx

DATA = Path(__file__).parent.parent / "data" / "feedback"
CLIENTS = ("otel-evaluation-events", "openinference-openai", "langfuse-sdk", "mlflow-otlp")


@dataclass(frozen=True)
class FeedbackCapture:
    method: str
    path: str
    content_type: str
    content_encoding: str
    body: bytes

    def send(self, client: httpx.Client) -> httpx.Response:
        headers = {"content-type": self.content_type, "content-encoding": self.content_encoding}
        told = {key: value for key, value in headers.items() if value}
        return client.request(self.method, self.path, content=self.body, headers=told)


@cache
def feedback_captures(client: str) -> tuple[FeedbackCapture, ...]:
    """Everything one client sent, in the order it came."""
    return tuple(
        FeedbackCapture(
            method=row["method"],
            path=row["path"],
            content_type=row["content_type"],
            content_encoding=row["content_encoding"],
            body=(DATA / client / row["file"]).read_bytes() if row["file"] else b"",
        )
        for row in json.loads((DATA / client / "index.json").read_text())
    )


def expected_feedback(client: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DATA / "EXPECTED.json").read_text())[client]
    return found
