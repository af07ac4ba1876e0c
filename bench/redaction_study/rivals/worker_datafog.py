"""Worker in DataFog's environment: one JSON line in, one out.

`{"texts": [...]}` returns the found values of each text as `[kind, start, end]` in characters. `{"text": ..., "times":
n}` returns the seconds of one scan, the best of seven rounds of n.
"""

import json
import sys
import time
from importlib.metadata import version

import datafog

KINDS = {
    "EMAIL": "email",
    "PHONE": "phone",
    "CREDIT_CARD": "card",
    "IBAN": "iban",
    "IP_ADDRESS": "ip",
    "SSN": "national_id",
    "DE_IBAN": "iban",
    "DE_TAX_ID": "national_id",
    "DE_SOCIAL_SECURITY_NUMBER": "national_id",
}
LOCALES = ["de"]  # the only locale that it has
ROUNDS = 7


def found(text: str) -> list[tuple[str, int, int]]:
    entities = datafog.scan(text, engine="regex", locales=LOCALES).entities
    return [(KINDS[e.type], e.start, e.end) for e in entities if e.type in KINDS]


def seconds(text: str, times: int) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(times):
            datafog.scan(text, engine="regex", locales=LOCALES)
        best = min(best, (time.perf_counter() - began) / times)
    return best


for line in sys.stdin:
    asked = json.loads(line)
    if "texts" in asked:
        answer: dict[str, object] = {"found": [found(text) for text in asked["texts"]], "version": version("datafog")}
    else:
        answer = {"seconds": seconds(asked["text"], asked["times"])}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
