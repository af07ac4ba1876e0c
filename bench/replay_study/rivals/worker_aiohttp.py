"""A bare client: aiohttp alone, workers that pull questions, one comparison an answer. Nothing in Python costs less."""

import asyncio
import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import aiohttp


async def main(lines: list[dict[str, str]], base_url: str, concurrency: int) -> None:
    left = iter(lines)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=concurrency)) as client:
        counts = await asyncio.gather(
            *(passes(client, f"{base_url}/chat/completions", left) for _ in range(concurrency))
        )
    print(json.dumps({"passed": sum(counts), "version": version("aiohttp")}), flush=True)


async def passes(client: aiohttp.ClientSession, url: str, lines: Iterator[dict[str, str]]) -> int:
    passed = 0
    for line in lines:
        asked = {"model": "mock-model", "messages": [{"role": "user", "content": line["input"]}]}
        async with client.post(url, json=asked) as response:
            reply = await response.json()
        passed += reply["choices"][0]["message"]["content"] == line["target"]
    return passed


if __name__ == "__main__":
    read = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    asyncio.run(main(read, sys.argv[2], int(sys.argv[3])))
