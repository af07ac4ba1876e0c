"""The targets of each cell: a measure, a bound, and whether the share of runs must be at least or at most that."""

from dataclasses import dataclass

from bench.drift_study.shares import Share

TITLES = {
    "alarm": "false alarms",
    "alarm_mix": "false alarms of the failure mix",
    "alarm_on_outage": "alarms on nights with an outage",
    "night_1": "found on the first night",
    "nights_7": "found within 7 nights",
    "either_7": "found within 7 nights, by score or failure mix",
    "named": "named the right category",
    "named_night_1": "named the right category on the first night",
    "covered": "interval covers the change",
    "covered_whole": "interval covers the whole drop",
    "model": "called model",
    "both": "called both",
}
ALL = 0.995  # "100 %": whole percents are asked for
MIN_RUNS = 100  # runs that a verdict rests on


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """At least, or at most, that share of the runs."""

    measure: str
    bound: float
    is_minimum: bool = True
    title: str = ""

    @property
    def bound_text(self) -> str:
        percent = "100" if self.bound == ALL else f"{100 * self.bound:.3g}"
        return f"{'≥' if self.is_minimum else '≤'} {percent} %"


def at_least(measure: str, bound: float, title: str = "") -> Target:
    return Target(measure=measure, bound=bound, title=title or TITLES[measure])


def at_most(measure: str, bound: float, title: str = "") -> Target:
    return Target(measure=measure, bound=bound, is_minimum=False, title=title or TITLES[measure])


FALSE = at_most("alarm", 0.05)
FIFTH_LESS = 0.8  # figure 8 allows a fifth less than figures 2 and 3
SHIFT, REDRAW = 0.42, 0.97  # of drops of 2 points within 7 nights, in the world of each kind of new version
CATEGORY = (at_least("night_1", 0.78), at_least("named_night_1", 0.98), at_least("named", 0.98))
NEVER = at_most("alarm", 0.0)
TARGETS: dict[str, tuple[Target, ...]] = {  # the first that fits
    "1/null/n300/k1/rho100/still": (NEVER,),  # nothing varies
    "1/null/n805/k3/rho100/still": (NEVER,),
    "1/": (FALSE,),
    "2/drop2/shift": (at_least("nights_7", SHIFT),),
    "2/drop2/redraw": (at_least("nights_7", REDRAW),),
    "2/drop5/": (at_least("nights_7", ALL),),
    "2/drop10/": (at_least("night_1", 0.98),),
    "2/category30/": CATEGORY,
    "3/null/": (FALSE,),
    "3/drop5/": (at_least("night_1", 0.94),),
    "3/drop2/n300": (at_least("nights_7", 0.98),),
    "3/drop2/n805": (at_least("night_1", 0.98),),
    "3/noisier/": (FALSE,),
    "3/churn/c10/fall0": (FALSE,),
    "3/churn/c1/fall0": (FALSE,),
    "3/collapse50/": (at_least("found_1", 0.99, "found on the first night"),),
    "5/null": (FALSE, at_most("alarm_mix", 0.05)),
    "5/night": (FALSE, at_most("alarm_mix", 0.05)),
    "5/moved30": (at_least("nights_7", 0.92),),
    "5/new15": (at_least("nights_7", 0.97),),
    "5/surge3": (at_least("nights_7", 0.97), at_least("either_7", 0.97)),
    "5/surge3_moved": (at_least("nights_7", 0.97),),
    "6/judge/": (at_most("model", 0.05, "blamed on the model"),),
    "6/model/": (at_least("model", 0.99),),
    "6/both/": (at_least("both", 0.90),),
    "7/nights7/": (at_least("covered", 0.93), at_most("covered", 0.98)),
    "7/nights1/": (at_least("covered", 0.93),),
    "7/alarm/trend0.2": (at_least("covered", 0.93),),
    "7/alarm/": (at_least("covered", 0.93), at_least("covered_whole", 0.93)),
    "8/restart/null": (FALSE, at_least("nights_7", ALL)),
    "8/restart/redrawn": (FALSE, at_least("nights_7", ALL)),
    "8/restart/silent_drop5": (at_least("nights_7", FIFTH_LESS),),
    "8/restart/silent_drop10": (at_least("night_1", FIFTH_LESS * 0.98),),
}
GAPPED = {  # shift worlds
    "null": (FALSE,),
    "night": (FALSE,),
    "known_null": (FALSE,),
    "silent_drop2": (at_least("nights_7", FIFTH_LESS * SHIFT),),
    "silent_drop5": (at_least("nights_7", FIFTH_LESS),),
    "silent_drop10": (at_least("night_1", FIFTH_LESS * 0.98),),
    "silent_category30": (at_least("night_1", FIFTH_LESS * 0.78), at_least("named_night_1", FIFTH_LESS * 0.98)),
    "known_drop5": (at_least("night_1", FIFTH_LESS * 0.94),),
    "known_drop2": (at_least("nights_7", FIFTH_LESS * 0.98),),
}
# An outage is no regression: nights with one have no more than their part of the false alarms. An outage begins on 5 %
# of the nights and lasts two on average, so a tenth of 5 %.
OUTAGE = at_most("alarm_on_outage", 0.005)
RAMP_NIGHTS = 13
GAPPED_RAMP_NIGHTS = RAMP_NIGHTS * 1.2


def targets_of(name: str) -> tuple[Target, ...]:
    """Return the targets of a cell; empty for cells that are reported only."""
    for start, target in TARGETS.items():
        if name == start or name.startswith(start if start.endswith("/") else f"{start}/"):
            return target
    if not name.startswith("8/"):
        return ()
    _, gap, what = name.split("/")
    return (*GAPPED.get(what, ()), *([OUTAGE] if gap.startswith("outage") and what in ("null", "night") else ()))


def ramp_nights(name: str) -> float:
    """Return the median number of nights within which a slow fall must be found."""
    return GAPPED_RAMP_NIGHTS if name.startswith("8/") else RAMP_NIGHTS


def verdict(found: Share, target: Target) -> str:
    """Return the verdict. Reached allows for two Monte-Carlo errors, because the target is about the true rate."""
    if found.n < MIN_RUNS:
        return "not run" if found.n == 0 else "too few runs"
    short = target.bound - found.rate if target.is_minimum else found.rate - target.bound
    return "reached" if short <= 2.0 * found.error else "not reached"
