"""A program that answers one case: JSON on standard input, JSON on standard output.

    python3 answer.py ../support-bot/answers.jsonl

It finds the question in a file of recorded answers. Replace this by your own program.
"""

import json
import sys
from pathlib import Path


def main() -> None:
    request = json.load(sys.stdin)
    recorded = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    found = next((each for each in recorded if each["question"] == request["question"]), None)
    if found is None:
        print(json.dumps({"error_class": "unknown_case", "error": "this question has no recorded answer"}))
        return
    version, answers = min(found["answers"].items())
    print(json.dumps({"text": answers[0]["text"], "model": version}))


if __name__ == "__main__":
    main()
