"""Simulated histories for tests, as JSON documents of `driftd backtest`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monitor.drift.backtest import backtest_document

Floats = NDArray[np.float64]
Document = dict[str, Any]
BASELINE = 14
NAMES = ("billing", "orders", "refunds")


def categories(cases: int) -> list[str]:
    return [NAMES[case % 3] for case in range(cases)]


def in_category(name: str, cases: int) -> NDArray[np.bool_]:
    return np.array([each == name for each in categories(cases)])


def steady(cases: int, nights: int, seed: int = 0) -> Floats:
    """Pass probabilities [nights, cases] of a version that nothing happens to."""
    return np.tile(np.random.default_rng([seed, 1]).beta(3.0, 0.6, size=cases), (nights, 1))


def drawn(rates: Floats, seed: int = 0) -> NDArray[np.int64]:
    """Passes of one sample each; a night's draw is the same whatever nights follow it."""
    return (np.random.default_rng([seed, 2]).random(rates.shape) < rates).astype(np.int64)


def document(passes: Sequence[Sequence[float | None]] | NDArray[np.int64], **fields: object) -> Document:
    """One sample a case and night, one version and one judge, unless the fields say otherwise."""
    rows = passes.tolist() if isinstance(passes, np.ndarray) else [list(row) for row in passes]
    return {
        "id": "support-bot",
        "k": 1,
        "baseline_nights": BASELINE,
        "alpha": 0.05,
        "horizon": 180,
        "seed": 7,
        "cases": [{"id": f"case-{i}", "category": name} for i, name in enumerate(categories(len(rows[0])))],
        "nights": [{"version": "v1", "judge": "j1", "passes": row} for row in rows],
        **fields,
    }


def served(line: Document, key: str, value: str, since: int) -> Document:
    """The same history with another version or judge from a night on."""
    nights = [{**night, key: value} if t >= since else night for t, night in enumerate(line["nights"])]
    return {**line, "nights": nights}


def silenced(line: Document, nights: Sequence[int], cases: NDArray[np.bool_] | None = None) -> Document:
    """The same history with some cases unscored on some nights."""
    out = [
        {**night, "passes": [None if cases is None or cases[i] else x for i, x in enumerate(night["passes"])]}
        if t in nights
        else night
        for t, night in enumerate(line["nights"])
    ]
    return {**line, "nights": out}


def labelled(line: Document, name_of: Mapping[int, str] | None = None, usual: str = "wrong_answer") -> Document:
    """Every failure is called `usual`; from the nights of `name_of` on, half of the cases fail by its name instead."""
    nights = []
    for t, night in enumerate(line["nights"]):
        other = next((name for since, name in sorted((name_of or {}).items(), reverse=True) if t >= since), usual)
        names = [
            None if x is None else "none" if x else (other if i % 2 else usual) for i, x in enumerate(night["passes"])
        ]
        nights.append({**night, "labels": [None if name is None else [name] for name in names]})
    return {**line, "nights": nights}


def cut(line: Document, nights: int) -> Document:
    """What was known after so many nights."""
    return {**line, "nights": line["nights"][:nights]}


def alerts(line: Document) -> list[Document]:
    found: list[Document] = backtest_document(line)["alerts"]
    return found


def regressions(line: Document) -> list[Document]:
    return [alert for alert in alerts(line) if alert["kind"] != "behaviour"]
