"""pydantic-evals as its documentation shows it: a Dataset, a task that asks, EqualsExpected."""

import asyncio
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

from openai import AsyncOpenAI
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected


async def main(lines: list[dict[str, str]], base_url: str, concurrency: int) -> None:
    client = AsyncOpenAI(base_url=base_url, api_key="none")

    async def ask(inputs: str) -> str:
        done = await client.chat.completions.create(model="mock-model", messages=[{"role": "user", "content": inputs}])
        return done.choices[0].message.content or ""

    dataset = Dataset(
        name="sums",
        cases=[Case(name=line["id"], inputs=line["input"], expected_output=line["target"]) for line in lines],
        evaluators=[EqualsExpected()],
    )
    report = await dataset.evaluate(ask, max_concurrency=concurrency, progress=False)
    passed = sum(all(verdict.value for verdict in case.assertions.values()) for case in report.cases)
    print(json.dumps({"passed": passed, "version": version("pydantic-evals")}), flush=True)


if __name__ == "__main__":
    read = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    os.environ.setdefault("LOGFIRE_SEND_TO_LOGFIRE", "false")
    asyncio.run(main(read, sys.argv[2], int(sys.argv[3])))
