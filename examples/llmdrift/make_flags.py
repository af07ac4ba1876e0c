"""Create the two files of marks: `python make_flags.py PRIME_FULL_EVAL.csv.gz SENSITIVEQ_EVAL.csv.gz`.

Each line is one question with a mark for each snapshot, without texts. The same input gives the same bytes. Input that
does not match the layout in README.md stops the script with an error.
"""

import argparse
import csv
import gzip
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

GPT_3_5 = {f"openaichat/{name}": name for name in ("gpt-3.5-turbo-0301", "gpt-3.5-turbo-0613")}
GPT_4 = {f"openaichat/{name}": name for name in ("gpt-4-0314", "gpt-4-0613")}
MARKER = re.compile(r"\[(yes|no)\]", re.IGNORECASE)

Row = Mapping[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description="Create the marks of the LLMDrift answers without their texts.")
    parser.add_argument("primes", type=Path, help="PRIME_FULL_EVAL.csv.gz of the study")
    parser.add_argument("sensitive", type=Path, help="SENSITIVEQ_EVAL.csv.gz of the study")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="the folder to write to")
    arguments = parser.parse_args()
    write(prime_marks(read_rows(arguments.primes)), arguments.out / "primes-gpt-3.5.jsonl.gz")
    write(sensitive_marks(read_rows(arguments.sensitive)), arguments.out / "sensitive.jsonl.gz")


def read_rows(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rb") as packed:
        yield from csv.DictReader(io.TextIOWrapper(packed, encoding="utf-8", newline=""))


def prime_marks(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the first [Yes] or [No] of every answer of GPT-3.5; null without one."""
    questions: dict[int, dict[str, Any]] = {}
    for row in rows:
        if row["model"] in GPT_3_5:
            head = {"id": f"prime-{row['id']}", "reference": row["ref_answer"].lower(), "category": row["dataset"]}
            found = MARKER.search(row["answer"])
            question = questions.setdefault(int(row["id"]), head | {"marks": {}})
            question["marks"][GPT_3_5[row["model"]]] = found[1].lower() if found else None
    return in_order(questions, "marks", GPT_3_5)


def sensitive_marks(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return whether each snapshot answered directly, as the study judged, and its token count."""
    names = GPT_3_5 | GPT_4
    questions: dict[int, dict[str, Any]] = {}
    for row in rows:
        if row["Response Rate"] not in {"0", "1"}:
            sys.exit(f"question {row['id']}: the response rate {row['Response Rate']!r} is neither 0 nor 1")
        question = questions.setdefault(int(row["id"]), {"id": f"sensitive-{row['id']}", "answered": {}, "tokens": {}})
        question["answered"][names[row["model"]]] = row["Response Rate"] == "1"
        question["tokens"][names[row["model"]]] = int(row["answer_token"])
    return in_order(questions, "answered", names)


def in_order(questions: Mapping[int, dict[str, Any]], field: str, names: Mapping[str, str]) -> list[dict[str, Any]]:
    for number, question in questions.items():
        if set(question[field]) != set(names.values()):
            sys.exit(f"question {number}: a snapshot's answer is missing")
    return [questions[number] for number in sorted(questions)]


def write(questions: Iterable[Mapping[str, Any]], path: Path) -> None:
    lines = [json.dumps(question, ensure_ascii=False, separators=(",", ":")) + "\n" for question in questions]
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write("".join(lines).encode())
    print(f"{len(lines)} questions, {path.stat().st_size} bytes: {path}")


if __name__ == "__main__":
    main()
