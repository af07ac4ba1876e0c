"""Nights as the recorded endpoint makes them: its own resampling, called directly and not over HTTP."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bench.real_study.versions import PASSED, Versions
from replay.recorded.book import AnswerBook, Serving

Floats = NDArray[np.float64]
BASELINE = 14
ALPHA = 0.05


def nights(versions: Versions, served: Iterable[str], *, resample: float, seed: int) -> Floats:
    """[T, n] of 1.0 and 0.0: one night for every version named in `served`, one sample a case."""
    data = versions.recorded()
    book = AnswerBook(data, Serving(snapshot=data.snapshots[0], resample=resample, seed=seed))
    return np.array([_night(book, versions.ids, version, resample, seed) for version in served])


def _night(book: AnswerBook, ids: tuple[str, ...], version: str, resample: float, seed: int) -> list[float]:
    book.change(Serving(snapshot=version, resample=resample, seed=seed))
    return [float(book.answer(case, 0).answer.text == PASSED) for case in ids]


def document(versions: Versions, passed: Floats, *, known: int | None, horizon: int, seed: int) -> dict[str, object]:
    """The line for `driftd backtest`; from night `known` on another version is announced, None: nothing is."""
    return {
        "id": f"real-{seed}",
        "k": 1,
        "baseline_nights": BASELINE,
        "alpha": ALPHA,
        "horizon": horizon,
        "seed": seed,
        "cases": [{"id": i, "category": c} for i, c in zip(versions.ids, versions.categories, strict=True)],
        "nights": [
            {
                "version": "v2" if known is not None and night >= known else "v1",
                "judge": "exact",
                "passes": [int(value) for value in row],
            }
            for night, row in enumerate(passed)
        ],
    }
