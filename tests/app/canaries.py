"""A configuration with a secret in each place that can hold one, and a server that repeats every secret it receives."""

import asyncio
import base64
import gzip
import hashlib
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from aiohttp import web

from replay.evalsets.sealing import key_text

SEALED = "Which clockwork heron sings at noon"
RECEIVERS = ("hook", "chat", "bot", "pager", "genie", "manager", "post")


def canary(place: str) -> str:
    """Return the secret of a place: no other text contains it, and redaction does not know its form."""
    return f"canary{hashlib.sha256(place.encode()).hexdigest()[:24]}"


@dataclass(slots=True)
class Mirror:
    """An HTTP server that refuses every request with an error that quotes it: the worst peer of a daemon."""

    url: str = ""
    received: list[tuple[str, bytes]] = field(default_factory=list)  # path, and the whole request

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        if request.headers.get("content-encoding") == "gzip" and body[:2] == b"\x1f\x8b":
            body = gzip.decompress(body)
        head = "\n".join(f"{name}: {value}" for name, value in request.headers.items())
        whole = f"{request.method} {request.raw_path}\n{head}\n\n".encode() + body
        self.received.append((request.path, whole))
        if request.path.startswith("/collector"):
            return web.Response(status=200)
        quoted = whole.decode(errors="replace")
        return web.json_response({"error": {"message": quoted, "code": quoted[:200]}}, status=401)


@contextmanager
def running_mirror() -> Iterator[Mirror]:
    mirror, loop, app = Mirror(), asyncio.new_event_loop(), web.Application()
    app.router.add_route("*", "/{path:.*}", mirror.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1, auto_decompress=False)
    loop.run_until_complete(runner.setup())
    loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    mirror.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield mirror
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(runner.cleanup())
        loop.close()


def write(folder: Path, mirror: str, *, port: int, closed: int) -> dict[str, str]:
    """Write `driftd.yaml` with its files, and return the environment variables that it reads."""
    for name in ("admin", "reveal", "ingest"):
        (folder / f"{name}.token").write_text(canary(f"token {name}"))
    (folder / "set.key").write_text(key_text(bytes(range(32))))
    (folder / "kafka.password").write_text(canary("kafka"))
    (folder / "collector.headers").write_text(f"Authorization: Bearer {canary('collector')}\n")
    (folder / "driftd.yaml").write_text(yaml.safe_dump(_config(mirror, port, closed)))
    return {"MODEL_KEY": canary("model"), "HOOK_URL": f"{mirror}/hook/{canary('hook')}"}


def sealed_set() -> dict[str, Any]:
    cases = [{"id": f"case-{n}", "input": f"{SEALED} {n}?", "references": [f"the {n}th"]} for n in range(4)]
    return {"name": "private", "cases": cases}


def kept(folder: Path) -> set[Path]:
    """Return the files that hold secrets by their purpose."""
    return {*folder.glob("*.token"), *folder.glob("*.key"), *folder.glob("*.password"), *folder.glob("*.headers"),
            *folder.glob("*.yaml"), *folder.glob("*.yml")}  # fmt: skip


def _config(mirror: str, port: int, closed: int) -> dict[str, object]:
    tokens = [
        {"name": "root", "token_file": "admin.token", "roles": ["admin", "reveal"]},
        {"name": "looker", "token_file": "reveal.token", "roles": ["read", "reveal"]},
        {"name": "sender", "token_file": "ingest.token", "roles": ["ingest"]},
    ]
    return {
        "api": {"port": port, "tokens": tokens},
        "redaction": {"salt": canary("salt")},
        "ingest": {
            "otlp": {"port": 0},
            "otlp_grpc": {"port": 0},
            "kafka": {
                "calls": {
                    "bootstrap_servers": [f"127.0.0.1:{closed}"],
                    "topics": {"llm": {"format": "native_json"}},
                    "security": "sasl_plaintext",
                    "mechanism": "PLAIN",
                    "username": "driftd",
                    "password_file": "kafka.password",
                }
            },
            "results": {
                "nightly": {
                    "path": "s3://bucket/results",
                    "deployment": "product-{model}",
                    "object_store": {
                        "endpoint": mirror,
                        "region": "eu-1",
                        "access_key_id": "known",
                        "secret_access_key": canary("s3"),
                    },
                }
            },
        },
        "telemetry": {
            "otlp_endpoint": f"{mirror}/collector",
            "otlp_headers_file": "collector.headers",
            "otlp_interval_s": 1,
        },
        "targets": _targets(mirror),
        "deployments": {
            name: {"target": name, "sets": ["private"], "changes": {"min_interactions": 1}}
            for name in ("model", "application", "program")
        },
        "sets": {"private": {"kind": "frozen", "key_file": "set.key", "scorers": [{"kind": "contains"}]}},
        "receivers": _receivers(mirror, closed),
        "alerts": {"group_wait_s": 0},
    }


def _targets(mirror: str) -> dict[str, object]:
    shell = "env; env >&2; exit 3"
    return {
        "model": {
            "base_url": f"{mirror}/model/v1?key={canary('query')}",
            "model": "gpt-4",
            "api_key": "${MODEL_KEY}",
            "max_attempts": 1,
            "timeout_s": 5,
        },
        "application": {
            "kind": "http",
            "url": f"{mirror}/application",
            "headers": {"X-Tenant": canary("tenant")},
            "body": '{"q": {{ question | tojson }}}',
            "answer": "$.answer",
            "max_attempts": 1,
        },
        "program": {
            "kind": "command",
            "command": ["/bin/sh", "-c", shell],
            "env": {"SECRET": canary("env")},
            "max_attempts": 1,
        },
    }


def _receivers(mirror: str, closed: int) -> dict[str, object]:
    return {
        "hook": {
            "kind": "webhook",
            "url": "${HOOK_URL}",
            "signing_secret": f"whsec_{base64.b64encode(canary('hook signature').encode()).decode()}",
        },
        "chat": {"kind": "slack", "url": f"{mirror}/chat/{canary('chat')}"},
        "bot": {
            "kind": "slack_api",
            "token": f"xoxb-{canary('bot')}",
            "channel": "C012345",
            "signing_secret": canary("bot signature"),
            "api_url": f"{mirror}/bot",
        },
        "pager": {
            "kind": "pagerduty",
            "routing_key": canary("pager") + "ab",
            "events_url": f"{mirror}/pager",
            "webhook_secret": canary("pager signature"),
        },
        "genie": {"kind": "opsgenie", "api_key": canary("genie"), "api_url": f"{mirror}/genie"},
        "manager": {
            "kind": "alertmanager",
            "urls": [f"{mirror}/manager"],
            "username": "driftd",
            "password": canary("manager"),
        },
        "post": {
            "kind": "email",
            "host": "127.0.0.1",
            "port": closed,
            "tls": "starttls",
            "username": "driftd",
            "password": canary("post"),
            "from_address": "driftd@example.com",
            "to": ["on-call@example.com"],
        },
    }


SECRETS = [
    canary(place)
    for place in (
        "token admin", "token reveal", "token ingest", "kafka", "collector", "model", "hook", "salt", "s3", "query",
        "tenant", "env", "hook signature", "chat", "bot", "bot signature", "pager", "pager signature", "genie",
        "manager", "post", "header", "guess", "cookie", "broken",
    )
]  # fmt: skip
MAY_RECEIVE = {
    "/model": {canary("model"), canary("query"), SEALED},
    "/application": {canary("tenant"), SEALED},
    "/hook": {canary("hook")},
    "/chat": {canary("chat")},
    "/bot": {canary("bot")},
    "/pager": {canary("pager")},
    "/genie": {canary("genie")},
    "/collector": {canary("collector")},
}  # the secrets that are sent to a peer; Alertmanager gets its password in base64


def leaked(text: str | bytes, allowed: Collection[str] = ()) -> list[str]:
    """Return the secrets in a text, and the sealed question if it is there."""
    content = text.encode() if isinstance(text, str) else text
    hidden = [*SECRETS, *(base64.b64encode(secret.encode()).decode().rstrip("=") for secret in SECRETS)]
    found = [secret for secret in hidden if secret not in allowed and secret.encode() in content]
    return found + [SEALED] * (SEALED not in allowed and SEALED.encode() in content)
