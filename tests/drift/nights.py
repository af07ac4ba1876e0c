"""Simulated nights of a set, as the store returns them."""

from datetime import timedelta

import numpy as np

from monitor.domain.nights import Cells, Failures, Floats, Night, NightRows

from .builders import FIRST_NIGHT


def night(t: int, version: str | None = "A", **fields: object) -> Night:
    known = {"judge": "exact 1", "change_id": None, "revision": "r1", "cases": 0}
    return Night(run_id=f"run-{t}", at=FIRST_NIGHT + timedelta(days=t), version=version, **{**known, **fields})  # type: ignore[arg-type]


def rows(
    passes: Floats,
    versions: list[str | None] | None = None,
    *,
    categories: tuple[str, ...] | None = None,
    labels: str | None = "wrong_answer",
    repeats: Floats | None = None,
    **fields: object,
) -> NightRows:
    """`passes` [T, n] are scores in [0, 1], NaN where there is none; every failure is called `labels`. `repeats` [T, n]
    are those of cases asked once more.
    """
    nights, cases = passes.shape
    served = versions or ["A"] * nights
    scored = cells(passes)
    t, i = scored.night, scored.case
    failed = scored.first < 0.5
    lost = int(failed.sum()) if labels else 0
    return NightRows(
        deployment="support-bot",
        set_name="primes",
        nights=tuple(night(at, version, cases=cases, **fields) for at, version in enumerate(served)),
        categories=categories or ("general",) * cases,
        cells=scored,
        repeats=cells(np.full_like(passes, np.nan) if repeats is None else repeats),
        failures=Failures(
            night=t[failed][:lost], case=i[failed][:lost], name=(labels or "",) * lost, count=np.ones(lost)
        ),
    )


def cells(values: Floats) -> Cells:
    """One sample each, where `values` [T, n] are not NaN."""
    t, i = np.nonzero(~np.isnan(values))
    x = values[t, i]
    return Cells(night=t, case=i, count=np.ones(x.size), first=x, second=x**2, third=x**3)


def quiet(nights: int, cases: int = 200, rate: float = 0.85, seed: int = 1) -> Floats:
    """The same version every night: each case has its own rate."""
    rng = np.random.default_rng(seed)
    own = rng.beta(rate * 3.0, (1.0 - rate) * 3.0, size=cases)
    return (rng.random((nights, cases)) < own).astype(np.float64)
