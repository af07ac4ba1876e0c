"""Neither a secret in the address of a target nor a sealed text that an endpoint repeats is stored anywhere."""

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp import web

from tests.app.house import DEPLOYMENT, FROZEN, House, daemon
from tests.app.stored import stored

SECRET = "sk-0f1e2d3c4b5a69788796a5b4c3d2e1f0"
LISTS = ("runs", "findings", "alerts", "notifications", "versions", "changes", "deployments", "sets", "dead_letters")


@contextmanager
def served(handle: Any) -> Iterator[str]:
    """Start a server in a thread and return its address."""
    loop, app = asyncio.new_event_loop(), web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    loop.run_until_complete(runner.setup())
    loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(runner.cleanup())
        loop.close()


def asking(base_url: str) -> Any:
    return lambda targets: {"gpt-4": {**targets["gpt-4"], "base_url": base_url, "max_attempts": 1}}


def everything(house: House) -> str:
    """Return all API responses about a run."""
    told = [house.api.get(f"/api/v1/{name}", params={"limit": "100"}).text for name in LISTS]
    runs = json.loads(told[0])["items"]
    for run in runs:
        told.append(house.api.get(f"/api/v1/runs/{run['id']}").text)
        told.append(house.api.get("/api/v1/outcomes", params={"run_id": run["id"], "limit": "500"}).text)
    told += [house.api.get("/metrics").text, house.api.get("/api/v1/status").text]
    return "\n".join(told)


async def refuse(request: web.Request) -> web.StreamResponse:
    """Answer with an error that quotes the request address."""
    return web.json_response({"error": {"message": f"no such key: {request.url}"}}, status=401)


def test_a_secret_in_the_address_of_a_target_is_found_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="monitor")
    with served(refuse) as address, daemon(tmp_path, targets=asking(f"{address}?api-version=7&key={SECRET}")) as house:
        house.import_primes(20)
        run = house.replay()
        told = everything(house)
    assert run["state"] == "failed"
    assert "?api-version=7&key=***" in run["error"]
    assert SECRET not in told
    assert SECRET not in caplog.text
    assert SECRET not in (tmp_path / "console.txt").read_text()
    held = stored(tmp_path)
    assert b"key=***" in held  # the search looks where the address is
    assert SECRET.encode() not in held


def echo_of(text: str, way: str) -> str:
    return {
        "plain": text,
        "after a prefix": f"chatcmpl-{text}",
        "as a name": "-".join(text.split()),
        "in part": text[: len(text) // 2],
    }[way]


@pytest.mark.parametrize("way", ["plain", "after a prefix", "as a name", "in part"])
def test_an_endpoint_that_repeats_the_prompt_leaks_no_sealed_text(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    caplog.set_level(logging.DEBUG, logger="monitor")

    async def echo(request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        said = echo_of(asked["messages"][-1]["content"], way)
        choice = {"index": 0, "message": {"role": "assistant", "content": f"[Yes] {said}"}, "finish_reason": said}
        document = {"id": said, "model": said, "system_fingerprint": said, "choices": [choice], "usage": {said: 1}}
        headers = {"x-recorded-note": httpx.QueryParams({"q": said})["q"].encode("ascii", "ignore").decode()}
        return web.json_response(document, headers=headers)

    with served(echo) as address, daemon(tmp_path, targets=asking(address)) as house:
        house.import_primes(20)
        run = house.replay()
        told = everything(house)
        questions = [echo_of(q.question, way) for q in house.data.questions[:20]]
    assert run["state"] in {"complete", "partial"}
    assert "hidden-" in told
    held = stored(tmp_path)
    for text in questions:
        assert text not in told
        assert text not in caplog.text
        assert text.encode() not in held


def test_a_failure_that_quotes_the_prompt_leaks_no_sealed_text(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="monitor")

    async def fail(request: web.Request) -> web.StreamResponse:
        said = (await request.json())["messages"][-1]["content"]
        return web.json_response({"error": {"message": said, "code": said}}, status=400)

    with served(fail) as address, daemon(tmp_path, targets=asking(address)) as house:
        house.import_primes(20)
        house.replay()
        told = everything(house)
        questions = [q.question for q in house.data.questions[:20]]
    held = stored(tmp_path)
    for text in questions:
        assert text not in told
        assert text not in caplog.text
        assert text.encode() not in held


def test_an_honest_endpoint_is_shown_as_it_describes_itself(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        house.import_primes(20)
        run = house.replay()
        (version,) = house.listed("versions", deployment=DEPLOYMENT)
        (shown, *_) = house.listed("outcomes", run_id=run["id"])
    assert run["set_name"] == FROZEN
    assert run["manifest"]["reported"]["model"] == {"gpt-4-0314": 20}
    assert shown["model"] == "gpt-4-0314"
    assert "hidden-" not in str(version)
