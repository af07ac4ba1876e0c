"""Logged calls as the process of a traffic report gets them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from monitor.store.engine.schema import CALLS

SECRET = "zanzibar"  # a word of users that must leave no trace
SUBJECTS = ("invoice payment card", "delivery parcel courier", "password login account", "refund return shop")


def call(number: int, window: str, **fields: Any) -> dict[str, Any]:
    subject = SUBJECTS[number % len(SUBJECTS)]
    text = f"How can I find the {subject} that you have for me, {SECRET}?"
    answer = f"You can find that in the list of your {subject}, and it is there for you."
    defaults: dict[str, Any] = {
        "id": f"call-{number}",
        "window": window,
        "input_text": text,
        "output_text": answer,
        "input_chars": len(text),
        "output_chars": len(answer),
        "input_tokens": 20,
        "output_tokens": 30 + number % 7,
        "latency_ms": 800.0,
        "category": None,
        "status": "ok",
        "finish_reason": "stop",
        "content": "full",
        "corrected": False,
        "failure_category": None,
    }
    return defaults | fields


def window_of(window: str, count: int, seed: int, **fields: Any) -> list[dict[str, Any]]:
    latencies = np.random.default_rng(seed).lognormal(6.5, 0.5, count)
    return [call(number, window, latency_ms=float(latencies[number]), **fields) for number in range(count)]


def as_table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=CALLS)
