"""Create versions.jsonl.gz from the solutions of the GSM8K study: `python make.py example_model_solutions.jsonl.gz`.

Each line is one problem, in the order of the study's file, with the final answers of the four model versions and the
authors' marks. The same input gives the same bytes. Input that does not match the layout in README.md stops the script.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

VERSIONS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
FINAL = "A: "  # prefix of the last line of a solution


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Create the compact copy of the answers of four model versions to GSM8K."
    )
    parser.add_argument("solutions", type=Path, help="example_model_solutions.jsonl.gz of the study")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("versions.jsonl.gz"))
    arguments = parser.parse_args()
    with gzip.open(arguments.solutions, "rt", encoding="utf-8") as lines:
        problems = [problem_of(number, json.loads(line)) for number, line in enumerate(lines)]
    write(problems, arguments.out)
    print(f"{len(problems)} problems, {arguments.out.stat().st_size} bytes: {arguments.out}")


def problem_of(number: int, record: Mapping[str, Any]) -> dict[str, Any]:
    *steps, last = record["ground_truth"].strip().split("\n")
    if not last.startswith(FINAL):
        sys.exit(f"problem {number}: the reference solution ends with {last!r}, not with a line 'A: ...'")
    versions = {name: version_of(number, name, record[name]) for name in VERSIONS}
    return {"id": f"gsm8k-{number}", "steps": len(steps), "reference": last.removeprefix(FINAL), "versions": versions}


def version_of(number: int, name: str, solved: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(solved["is_correct"], bool):
        sys.exit(f"problem {number}: the mark of {name} is {solved['is_correct']!r}, not true or false")
    last = solved["solution"].strip().split("\n")[-1]
    answer = last.removeprefix(FINAL) if last.startswith(FINAL) else None
    return {"answer": answer, "correct": solved["is_correct"]}


def write(problems: Iterable[Mapping[str, Any]], path: Path) -> None:
    lines = (json.dumps(problem, ensure_ascii=False, separators=(",", ":")) + "\n" for problem in problems)
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write("".join(lines).encode())


if __name__ == "__main__":
    main()
