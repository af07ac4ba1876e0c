"""Create primes.jsonl.gz from the PRIME file of the LLMDrift study: `python make.py PRIME_FULL_EVAL.csv.gz`.

Each line is one question, in the order of the study's ids, with the answers of the two GPT-4 snapshots. The same input
gives the same bytes. Input that does not match the layout in README.md stops the script with an error.
"""

import argparse
import csv
import gzip
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

SNAPSHOTS = {"openaichat/gpt-4-0314": "gpt-4-0314", "openaichat/gpt-4-0613": "gpt-4-0613"}
INPUT_USD_PER_TOKEN = Decimal("0.03") / 1000  # GPT-4, 8K context, 2023
OUTPUT_USD_PER_TOKEN = Decimal("0.06") / 1000

Row = Mapping[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description="Create the compact copy of GPT-4's answers to the LLMDrift primes.")
    parser.add_argument("csv", type=Path, help="PRIME_FULL_EVAL.csv.gz of the study")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("primes.jsonl.gz"))
    arguments = parser.parse_args()
    questions = compact(read_rows(arguments.csv))
    write(questions, arguments.out)
    print(f"{len(questions)} questions, {arguments.out.stat().st_size} bytes: {arguments.out}")


def read_rows(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rb") as packed:
        yield from csv.DictReader(io.TextIOWrapper(packed, encoding="utf-8", newline=""))


def compact(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return one record for each question, with the answers of all snapshots."""
    questions: dict[int, dict[str, Any]] = {}
    for row in rows:
        if row["model"] in SNAPSHOTS:
            head = question_of(row)
            question = questions.setdefault(int(row["id"]), head | {"answers": {}})
            if any(question[field] != value for field, value in head.items()):
                sys.exit(f"question {row['id']}: the models have different questions")
            question["answers"].setdefault(SNAPSHOTS[row["model"]], []).append(answer_of(row))
    for number, question in questions.items():
        if set(question["answers"]) != set(SNAPSHOTS.values()):
            sys.exit(f"question {number}: a snapshot's answer is missing")
    return [questions[number] for number in sorted(questions)]


def question_of(row: Row) -> dict[str, str]:
    return {
        "id": f"prime-{row['id']}",
        "question": row["query"],
        "reference": row["ref_answer"].lower(),
        "category": row["dataset"],
    }


def answer_of(row: Row) -> dict[str, Any]:
    output_tokens = int(row["answer_token"])
    return {
        "text": row["answer"],
        "finish_reason": "length" if output_tokens >= int(row["max_tokens"]) else "stop",
        "latency_s": round(float(row["latency"]), 3),
        "input_tokens": input_tokens_of(row, output_tokens),
        "output_tokens": output_tokens,
        "cost_usd": float(row["cost"]),
        "recorded_on": datetime.strptime(row["timestamp"], "%m/%d/%Y, %H:%M:%S").replace(tzinfo=UTC).date().isoformat(),
    }


def input_tokens_of(row: Row, output_tokens: int) -> int:
    """Return the input tokens: the rest of the cost, divided by the price. A remainder means a wrong price."""
    # The study's costs are sums of floats. Digits after the tenth decimal are rounding errors.
    left = round(Decimal(row["cost"]), 10) - output_tokens * OUTPUT_USD_PER_TOKEN
    tokens, rest = divmod(left, INPUT_USD_PER_TOKEN)
    if rest or tokens < 1:
        sys.exit(f"question {row['id']}: the cost {row['cost']} is not a whole number of input tokens")
    return int(tokens)


def write(questions: Iterable[Mapping[str, Any]], path: Path) -> None:
    lines = (json.dumps(question, ensure_ascii=False, separators=(",", ":")) + "\n" for question in questions)
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write("".join(lines).encode())


if __name__ == "__main__":
    main()
