"""Makes gpt-3.5-primes.jsonl.gz from the PRIME file of the LLMDrift study: `python make.py PRIME_FULL_EVAL.csv.gz`.

Every third question (by the study's id) with what two snapshots of GPT-3.5 answered, character for character. Equal
input gives equal bytes.
"""

import csv
import gzip
import io
import json
import sys
from pathlib import Path

SNAPSHOTS = {
    "openaichat/gpt-3.5-turbo-0301": "gpt-3.5-turbo-0301",
    "openaichat/gpt-3.5-turbo-0613": "gpt-3.5-turbo-0613",
}
EVERY = 3


def main(source: Path) -> None:
    questions: dict[int, dict[str, object]] = {}
    answers: dict[int, dict[str, str]] = {}
    with gzip.open(source, "rb") as packed:
        for row in csv.DictReader(io.TextIOWrapper(packed, encoding="utf-8", newline="")):
            number = int(row["id"])
            if row["model"] in SNAPSHOTS and number % EVERY == 0:
                answers.setdefault(number, {})[SNAPSHOTS[row["model"]]] = row["answer"]
                questions[number] = {
                    "id": f"prime-{number}",
                    "question": row["query"],
                    "reference": row["ref_answer"].lower(),
                    "category": row["dataset"],
                    "answers": answers[number],
                }
    lines = [json.dumps(questions[number], ensure_ascii=False, separators=(",", ":")) for number in sorted(questions)]
    target = Path(__file__).with_name("gpt-3.5-primes.jsonl.gz")
    with target.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed_out:
        packed_out.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
