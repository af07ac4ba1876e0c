"""A captured request of a real client, and a reader for a folder of captures."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import httpx


@dataclass(frozen=True)
class Capture:
    scenario: str
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
def captures_in(folder: Path) -> tuple[Capture, ...]:
    """Return the captures in order of arrival. The default method is POST, and a request without a file has no body."""
    return tuple(
        Capture(
            scenario=row["scenario"],
            method=row.get("method", "POST"),
            path=row["path"],
            content_type=row["content_type"],
            content_encoding=row["content_encoding"],
            body=(folder / row["file"]).read_bytes() if row["file"] else b"",
        )
        for row in json.loads((folder / "index.json").read_text())
    )
