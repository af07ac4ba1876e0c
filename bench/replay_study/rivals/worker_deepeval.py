"""deepeval as its documentation shows it: the answers as test cases, then evaluate() with ExactMatchMetric."""

import asyncio
import json
import sys
from importlib.metadata import version
from pathlib import Path

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import ExactMatchMetric
from deepeval.test_case import LLMTestCase
from openai import AsyncOpenAI


async def answered(lines: list[dict[str, str]], base_url: str, concurrency: int) -> list[LLMTestCase]:
    slots = asyncio.Semaphore(concurrency)

    async def ask(client: AsyncOpenAI, line: dict[str, str]) -> LLMTestCase:
        messages = [{"role": "user", "content": line["input"]}]
        async with slots:
            done = await client.chat.completions.create(model="mock-model", messages=messages)
        said = done.choices[0].message.content or ""
        return LLMTestCase(name=line["id"], input=line["input"], actual_output=said, expected_output=line["target"])

    async with AsyncOpenAI(base_url=base_url, api_key="none") as client:
        return await asyncio.gather(*(ask(client, line) for line in lines))


def main(lines: list[dict[str, str]], base_url: str, concurrency: int) -> None:
    result = evaluate(
        asyncio.run(answered(lines, base_url, concurrency)),
        [ExactMatchMetric()],
        async_config=AsyncConfig(max_concurrent=concurrency),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        cache_config=CacheConfig(write_cache=False),
    )
    passed = sum(bool(test.success) for test in result.test_results)
    print(json.dumps({"passed": passed, "version": version("deepeval")}), flush=True)


if __name__ == "__main__":
    read = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    main(read, sys.argv[2], int(sys.argv[3]))
