"""Writes the nights of a stored set as the JSON document that `driftd backtest` reads."""

from collections import Counter
from typing import Any

import numpy as np

from monitor.drift.backtest_check import PASSED, RESERVED
from monitor.drift.detect.nightly_history import Nights


def history_document(nights: Nights) -> dict[str, Any]:
    """Return the document whose alerts are those of the nights.

    Versions are written as the daemon separates them: a change that it replayed starts another one. For graded scores
    the document has the sums only, so evidence may differ in its last digits.
    """
    history, tally = nights.history, nights.history.tally
    max_samples = int(tally.count.max(initial=1.0))
    return {
        "id": history.id,
        "k": max(max_samples, 1),
        "baseline_nights": history.baseline_nights,
        "alpha": history.alpha,
        "alpha_change": history.alpha_of_change,
        "horizon": history.horizon,
        "graded": not tally.binary,
        "cases": [
            {"id": id_, "category": _category(name)} for id_, name in zip(_ids(nights), history.categories, strict=True)
        ],
        "nights": [_night(nights, t) for t in range(history.nights)],
    }


def _ids(nights: Nights) -> list[str]:
    """The ids of the cases; the second content under an id is `id (2)`."""
    known = nights.case_ids or tuple(f"case-{i}" for i in range(len(nights.history.categories)))
    times: Counter[str] = Counter()
    ids = []
    for name in known:
        times[name] += 1
        ids.append(name if times[name] == 1 else f"{name} ({times[name]})")
    return ids


def _category(name: str) -> str:
    return f"{name} (category)" if name in RESERVED else name


def _night(nights: Nights, t: int) -> dict[str, Any]:
    history = nights.history
    count, first = history.tally.count[t], history.tally.first[t]
    number = int if history.tally.binary else float
    night: dict[str, Any] = {
        "version": history.versions[t],
        "judge": history.judges[t],
        "revision": nights.nights[t].revision,
        "passes": [number(first[i]) if count[i] > 0 else None for i in range(count.size)],
        "samples": [int(n) for n in count],
    }
    if history.repeats is not None and history.repeats.count[t].any():
        asked, passed = history.repeats.count[t], history.repeats.first[t]
        night["repeats"] = [number(passed[i]) if asked[i] > 0 else None for i in range(asked.size)]
        night["repeat_samples"] = [int(n) for n in asked]
    if history.labelled_before(history.nights):
        night["labels"] = [_labels(nights, t, i) if count[i] > 0 else None for i in range(count.size)]
    return night


def _labels(nights: Nights, t: int, i: int) -> list[str | None]:
    """Return one label per sample: the failure categories, then the passes, then null for a failure without a
    category.
    """
    history = nights.history
    failed = [name for name, counts in sorted(history.failures.items()) for _ in range(int(counts[t, i]))]
    samples = int(history.tally.count[t, i])
    passed = int(np.rint(history.tally.first[t, i])) if history.tally.binary else samples - len(failed)
    labels: list[str | None] = [*failed, *[PASSED] * min(passed, samples - len(failed))]
    return labels + [None] * (samples - len(labels))
