"""What a night asks once more: a part of its cases, drawn by their order, as a replay does."""

import numpy as np

from bench.drift_study.world import History


def with_repeats(document: dict[str, object], history: History) -> dict[str, object]:
    """The document with `repeats`; each night another share of the cases is asked once more."""
    cell = history.cell
    if cell.repeat_share <= 0.0:
        return document
    rng = np.random.default_rng([history.seed, 1])
    nights = document["nights"]
    assert isinstance(nights, list)
    cases = history.passes.shape[1]
    for night, row in enumerate(nights):
        asked = np.zeros(cases, dtype=np.bool_)
        asked[rng.choice(cases, size=round(cell.repeat_share * cases), replace=False)] = True
        passed = rng.random(cases) < history.paths.tonight[night]
        asked &= history.scored[night]
        row["repeats"] = [int(p) if again else None for p, again in zip(passed.tolist(), asked.tolist(), strict=True)]
    return document
