"""A bare client: httpx over the httpx-aiohttp transport, workers that pull questions, one comparison an answer."""

import asyncio
import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport


async def main(lines: list[dict[str, str]], base_url: str, concurrency: int) -> None:
    left = iter(lines)
    connector = aiohttp.TCPConnector(limit=concurrency)
    transport = AiohttpTransport(client=aiohttp.ClientSession(connector=connector))
    async with httpx.AsyncClient(transport=transport, timeout=60.0, trust_env=False) as client:
        counts = await asyncio.gather(
            *(passes(client, f"{base_url}/chat/completions", left) for _ in range(concurrency))
        )
    print(json.dumps({"passed": sum(counts), "version": version("httpx-aiohttp")}), flush=True)


async def passes(client: httpx.AsyncClient, url: str, lines: Iterator[dict[str, str]]) -> int:
    passed = 0
    for line in lines:
        asked = {"model": "mock-model", "messages": [{"role": "user", "content": line["input"]}]}
        reply = (await client.post(url, json=asked)).json()
        passed += reply["choices"][0]["message"]["content"] == line["target"]
    return passed


if __name__ == "__main__":
    read = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    asyncio.run(main(read, sys.argv[2], int(sys.argv[3])))
