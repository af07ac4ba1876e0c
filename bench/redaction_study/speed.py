"""Measure microseconds for 2 KB of text. The best of several rounds counts, because other load only adds time."""

import time
from collections.abc import Callable

TEXT_BYTES = 2048
ROUNDS, TIMES = 25, 400
_PROSE = (
    "The customer asked on Tuesday whether the refund of 12.50 for order 48213 could be paid before the end of March. "
    "We answered that our policy, which was last changed in 2024, allows returns within 30 days; well-known exceptions "
    'apply: gift cards, downloads and food. "Please keep the receipt", she wrote, and the agent promised to call back '
    "between 10:30 and 11:45. "
)
TEXTS = {
    "ordinary prose, nothing in it": (_PROSE * 8)[:TEXT_BYTES],
    "prose with a date in every paragraph": (_PROSE.replace("on Tuesday", "on 2026-11-17") * 8)[:TEXT_BYTES],
    "prose with one e-mail address": ("Write to anna@example.org. " + _PROSE * 8)[:TEXT_BYTES],
    "an address, a card and a phone number in every paragraph": (
        _PROSE.replace("on Tuesday", "from anna@example.org, 4111 1111 1111 1111, +49 30 901820,") * 8
    )[:TEXT_BYTES],
}


def best_us(work: Callable[[str], object], text: str) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(TIMES):
            work(text)
        best = min(best, (time.perf_counter() - began) / TIMES)
    return best * 1e6


def of(work: Callable[[str], object]) -> dict[str, float]:
    """Return the times by kind of text."""
    return {name: best_us(work, text) for name, text in TEXTS.items()}
