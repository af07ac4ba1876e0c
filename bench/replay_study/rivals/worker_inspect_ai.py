"""inspect_ai as its documentation shows it: a Task of samples with exact(), eval() with its log, without its screen."""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import exact
from inspect_ai.solver import generate


def main(lines: list[dict[str, str]], base_url: str, concurrency: int) -> None:
    samples = [Sample(id=line["id"], input=line["input"], target=line["target"]) for line in lines]
    model = get_model("openai-api/mock/mock-model", base_url=base_url, api_key="none")
    logs = evaluate(
        Task(dataset=samples, solver=generate(), scorer=exact()),
        model=model,
        display="none",
        max_connections=concurrency,
        max_samples=concurrency,
        log_dir="logs",
    )
    scored = (sample.scores or {} for sample in logs[0].samples or [])
    passed = sum(scores["exact"].value == "C" for scores in scored)
    print(json.dumps({"passed": passed, "version": version("inspect-ai")}), flush=True)


if __name__ == "__main__":
    read = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    os.environ.setdefault("INSPECT_LOG_LEVEL", "warning")
    main(read, sys.argv[2], int(sys.argv[3]))
