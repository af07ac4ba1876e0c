"""A folder with a configuration, a key and cases, and a model to replay against, without a daemon."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from monitor.servers import HttpListener, Servers
from replay.evalsets.sealing import key_text

CASES = 40  # enough for a fall of all of them to be significant, and for a verdict


@dataclass(slots=True)
class Model:
    """A chat completions endpoint with one fixed answer."""

    url: str = ""
    name: str = "gpt-4-0314"
    answer: str = "yes"
    delay_s: float = 0.0
    questions: list[str] = field(default_factory=list)

    async def complete(self, request: Request) -> JSONResponse:
        body = await request.json()
        self.questions.append(body["messages"][-1]["content"])
        await asyncio.sleep(self.delay_s)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": self.answer}}
        return JSONResponse({"id": "r", "object": "chat.completion", "model": self.name, "choices": [choice]})


@contextmanager
def running_model() -> Iterator[Model]:
    model = Model()
    app = Starlette(routes=[Route("/v1/chat/completions", model.complete, methods=["POST"])])
    servers = Servers([HttpListener(key="model", app=app, host="127.0.0.1", port=0)])
    servers.start()
    model.url = f"{servers.addresses['model']}/v1"
    try:
        yield model
    finally:
        servers.stop()


def write_house(folder: Path, *, model_url: str, api_port: int, otlp_port: int = 0, grpc_port: int = 0) -> Path:
    """Write the configuration file, `primes.key` and `primes.jsonl`."""
    (folder / "primes.key").write_text(key_text(bytes(range(32))))
    cases = [{"id": f"p{n}", "input": f"Is {n} prime?", "reference": "yes", "category": "prime"} for n in range(CASES)]
    (folder / "primes.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    path = folder / "driftd.yaml"
    path.write_text(yaml.safe_dump(_config(model_url, api_port, otlp_port, grpc_port)))
    return path


def _config(model_url: str, api_port: int, otlp_port: int, grpc_port: int) -> dict[str, object]:
    return {
        "api": {"port": api_port},
        "ingest": {"otlp": {"port": otlp_port}, "otlp_grpc": {"port": grpc_port}},
        "deployments": {"support": {"target": "model", "sets": ["primes"], "changes": {"min_interactions": 1}}},
        "targets": {"model": {"base_url": model_url, "model": "gpt-4", "max_attempts": 1, "timeout_s": 5}},
        "sets": {"primes": {"kind": "frozen", "key_file": "primes.key", "scorers": [{"kind": "contains"}]}},
    }
