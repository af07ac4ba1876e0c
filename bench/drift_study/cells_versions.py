"""The cells of new versions that are noisier, that answer other cases a little worse, or that collapse late."""

from dataclasses import replace

from bench.drift_study.cell import Cell

PULLS = (5, 10, 20, 40)  # percent of the way from each case's probability to its category's mean
NOISIER_SETS = (  # (intraclass correlation in percent, categories, n, k)
    *((rho, categories, 300, 1) for rho in (60, 80, 95, 98) for categories in (10, 1)),
    *((rho, categories, 300, 3) for rho in (60, 95) for categories in (10, 1)),
)
CHURN_MEAN = 0.69  # of every case drawn anew 2 m (1 - m) = 43 % of the outcomes flip
CHURN_FALLS = (0, 5, 10, 15, 20)  # tenths of a point
COLLAPSE_NIGHTS = (1, 2, 3, 4, 6, 10)  # between the announcement and the fall
COLLAPSE_SIZES = (20, 60, 300, 800)
STARTS = {"at100": (1.0, 1.0), "at90": (0.9, 0.9), "usual": None}  # mean pass rate of the model before the fall
SMALLER_FALLS = (15, 30)  # points, three nights after the announcement
TOTAL_FALL = 97  # of a set at 100 %
REPEATS = 0.1  # what a deployment asks once more where its configuration says nothing else
EVENT = Cell(  # 60 nights before it, 30 after it
    name="", figures=(3,), count="event", monitored=90, horizon=180, repeat_share=REPEATS
)


def version_cells() -> list[Cell]:
    """In the order of the tables."""
    return [*_noisier(), *_churn(), *_collapses()]


def _noisier() -> list[Cell]:
    cells = []
    for rho, categories, n, k in NOISIER_SETS:
        for mode in ("announced", "silent"):
            noisier = replace(EVENT, change="noisier", announced=mode == "announced", n=n, k=k, categories=categories)
            world = f"3/noisier/rho{rho}/c{categories}/n{n}/k{k}/{mode}"
            cells += [
                replace(noisier, name=f"{world}/pull{pull}", intraclass=rho / 100, pull=pull / 100) for pull in PULLS
            ]
    return cells


def _churn() -> list[Cell]:
    """Every case is drawn anew, and the mean of every category falls by the same."""
    churn = replace(
        EVENT,
        change="drop",
        announced=True,
        redraw=True,
        ranks=(0.0, 0.0),
        even=True,
        means=(CHURN_MEAN, CHURN_MEAN),
    )
    return [
        replace(churn, name=f"3/churn/c{categories}/fall{tenths / 10:g}", categories=categories, size=tenths / 1000)
        for categories in (10, 1)
        for tenths in CHURN_FALLS
    ]


def _collapses() -> list[Cell]:
    """A harmless announced change, and some nights later a fall that moves every case alike."""
    cells = []
    for start, means in STARTS.items():
        for n in COLLAPSE_SIZES:
            late = replace(EVENT, change="drop", announced=True, n=n)
            late = late if means is None else replace(late, means=means)
            cells += [
                replace(
                    late,
                    name=f"3/collapse50/{start}/n{n}/after{after}",
                    size=0.50,
                    harmless=after,
                    monitored=90 + after,
                )
                for after in COLLAPSE_NIGHTS
            ]
            cells += [
                replace(late, name=f"3/collapse{fall}/{start}/n{n}/after3", size=fall / 100, harmless=3, monitored=93)
                for fall in (*SMALLER_FALLS, *([TOTAL_FALL] if start == "at100" else ()))
            ]
    return cells
