"""One history as the JSON document that `driftd backtest` reads."""

import numpy as np

from bench.drift_study.labels import NAMES
from bench.drift_study.world import History

ALPHA = 0.05


def category_name(category: int) -> str:
    return f"category-{category}"


def document(history: History, *, name: str) -> dict[str, object]:
    """The contract's line, with only what a deployment would know: no truth, no change night."""
    cell = history.cell
    return {
        "id": name,
        "k": cell.k,
        "baseline_nights": cell.baseline,
        "alpha": ALPHA,
        "horizon": cell.monitored if cell.horizon is None else cell.horizon,
        "seed": history.seed,
        "cases": [{"id": f"case-{i}", "category": category_name(c)} for i, c in enumerate(history.cases.category)],
        "nights": [_night(history, night) for night in range(cell.nights)],
    }


def _night(history: History, night: int) -> dict[str, object]:
    cell = history.cell
    made: dict[str, object] = {
        "version": "v2" if cell.announced and night >= cell.version_night else "v1",
        "judge": "judge-1",
        "passes": [None if passed < 0 else passed for passed in history.passes[night].tolist()],
    }
    if cell.varied_k:
        made["samples"] = history.samples[night].tolist()
    if cell.revision_after is not None:
        made["revision"] = "r2" if night >= cell.baseline + cell.revision_after else "r1"
    if cell.missing or cell.outage:
        made["errors"] = _errors(history, night)
    if history.labels is not None:
        made["labels"] = _labels(history.labels[night])
    return made


def _errors(history: History, night: int) -> list[str | None]:
    lost = history.active[night] & ~history.scored[night]
    return [
        None if not gone else "outage" if out else "timeout"
        for gone, out in zip(lost.tolist(), history.outages[night].tolist(), strict=True)
    ]


def _labels(codes: np.ndarray[tuple[int, int], np.dtype[np.int8]]) -> list[list[str]]:
    return [[NAMES[code] for code in case if code >= 0] for case in codes.tolist()]
