"""lm-eval as its documentation shows it: a task of its own in YAML, local-chat-completions, exact_match."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

TASK = """\
task: sums
dataset_path: json
dataset_kwargs: {{data_files: {{test: {file}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{input}}}}"
doc_to_target: "{{{{target}}}}"
generation_kwargs: {{until: [], max_gen_toks: 16, temperature: 0}}
metric_list:
  - {{metric: exact_match, aggregation: mean, higher_is_better: true}}
"""


def main(questions: Path, base_url: str, concurrency: int) -> None:
    folder = questions.parent / "tasks"
    folder.mkdir()
    (folder / "sums.yaml").write_text(TASK.format(file=json.dumps(str(questions))))
    result = simple_evaluate(
        model="local-chat-completions",
        model_args={
            "model": "mock-model",
            "base_url": f"{base_url}/chat/completions",
            "num_concurrent": concurrency,
            "tokenized_requests": False,
        },
        tasks=["sums"],
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
        apply_chat_template=True,
        bootstrap_iters=0,
    )
    passed = sum(int(sample["exact_match"]) for sample in result["samples"]["sums"])
    print(json.dumps({"passed": passed, "version": version("lm-eval")}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
