"""The change of a production series by weekday, against the spread of its own days; and whether it recovered."""

import math
from dataclasses import dataclass

import numpy as np

from monitor.drift.production.points import Floats, Points

LOG_RECOVERED = math.log(100.0)  # how much likelier "back" must be than "still there"
MIN_FREEDOM = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesChange:
    """The change. `effect` is after minus before on the scale of the points (shares, or logarithms), with a 95 %
    interval. `day_noise` is the standard deviation of a usual day on that scale.
    """

    before: float
    after: float
    effect: float
    low: float
    high: float
    day_noise: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UsualDays:
    """The usual level: for each weekday (index 0-6) the centre, the variance of one unit of weight, and the total
    weight.

    A weekday without days has the values of all days. `dispersion` is how much more the days vary than expected.
    `typical` is the weight of a usual day.
    """

    rate: bool
    centre: Floats
    unit: Floats
    weight: Floats
    dispersion: float
    freedom: int
    typical: float  # weight of a usual day


def fit_usual_days(before: Points) -> UsualDays:
    """Return the usual level of the days.

    Formula:   the centre is a weighted mean by weekday. One call of a rate varies by p (1 - p), of a level by 1.
               dispersion = sum of w (x - centre)^2 / unit over days, divided by the days minus the weekdays; at least 1
               for rates.
    """
    weekday, weight = before.weekday, before.weight
    weights = np.array([weight[weekday == w].sum() for w in range(7)])
    centre = np.full(7, float(np.average(before.value, weights=weight)))
    for w in np.flatnonzero(weights).tolist():
        centre[w] = np.average(before.value[weekday == w], weights=weight[weekday == w])
    unit = _unit(centre, np.where(weights > 0, weights, weight.sum())) if before.rate else np.ones(7)
    freedom = max(len(before.days) - int(np.count_nonzero(weights)), MIN_FREEDOM)
    spread = float(np.sum(weight * (before.value - centre[weekday]) ** 2 / unit[weekday])) / freedom
    return UsualDays(
        rate=before.rate,
        centre=centre,
        unit=unit,
        weight=np.where(weights > 0, weights, weight.sum()),
        dispersion=max(spread, 1.0) if before.rate else spread,
        freedom=freedom,
        typical=float(weight.mean()),
    )


def series_change(before: Points, after: Points) -> SeriesChange:
    """Return the mean of the days after against the usual level of the same weekdays.

    Formula:   after = sum w x / sum w; before = sum w centre / sum w over the same days. Variance = dispersion (unit of
               after / sum w + sum over weekdays of share^2 unit / weight before), 95 % by Student's t.
    Empty:     both sides have a day.
    Source:    direct standardisation; a quasi-binomial dispersion: McCullagh and Nelder (1989), section 4.5.
    Differs:   the onset was chosen by the data, so the interval is a little too narrow for the first days.
    """
    from scipy.special import stdtrit  # half a second, which a start must not wait for

    usual, weekday, weight = fit_usual_days(before), after.weekday, after.weight
    total = float(weight.sum())
    centre, value = (float(np.sum(weight * x)) / total for x in (usual.centre[weekday], after.value))
    share = np.array([weight[weekday == w].sum() for w in range(7)]) / total
    unit = float(_unit(np.array([value]), np.array([total]))[0]) if after.rate else 1.0
    variance = usual.dispersion * (unit / total + float(np.sum(share**2 * usual.unit / usual.weight)))
    half_width = float(stdtrit(usual.freedom, 0.975)) * math.sqrt(variance)
    effect = value - centre
    noise = math.sqrt(usual.dispersion * float(np.mean(usual.unit)) / usual.typical)
    return SeriesChange(
        before=centre, after=value, effect=effect, low=effect - half_width, high=effect + half_width, day_noise=noise
    )


def find_recovery(before: Points, since: Points, alarm_days: int) -> tuple[int, int] | None:
    """Return the first usual day of `since` after the alarm, and the day that confirmed it; None while there is no
    recovery.

    `since` starts with the onset, and its first `alarm_days` days raised the alarm.

    Formula:   a CUSUM of log N(x; centre, v) / N(x; centre + effect, v), v the variance of one day: back when it
               reaches ln 100. The effect is the smallest that the days worse so far allow (the end of its interval next
               to nothing, at least half of it): a first day that was wild by chance must not make mild days look good.
    Range:     at least 100 days on average to a false one while the change is still there, for normal days. After a
               collapse one good day is enough, after a small change some are needed.
    Source:    Page, Biometrika 41 (1954) 100-115; Lorden, Annals of Mathematical Statistics 42 (1971) 1897-1908.
    Differs:   v is that of the usual days: noisier bad days are called back sooner than they should be.
    """
    usual, weekday = fit_usual_days(before), since.weekday
    x = since.value - usual.centre[weekday]
    level, start, effect = 0.0, alarm_days, 0.0
    for day in range(alarm_days, len(since.days)):
        if level <= 0.0:
            level, start = 0.0, day
            effect = _smallest_effect(series_change(before, since.take(np.arange(day))))
        variance = _day_variance(usual, since, day, effect)
        level += (effect**2 - 2.0 * effect * float(x[day])) / (2.0 * variance)
        if level >= LOG_RECOVERED:
            return start, day
    return None


def _smallest_effect(change: SeriesChange) -> float:
    return max(change.low, change.effect / 2.0)


def _day_variance(usual: UsualDays, points: Points, day: int, effect: float) -> float:
    w, weight = points.days[day].weekday(), float(points.weight[day])
    unit = float(usual.unit[w])
    if usual.rate:
        share_if_worse = np.clip(np.array([usual.centre[w] + effect]), 0.0, 1.0)
        unit = max(unit, float(_unit(share_if_worse, np.array([weight]))[0]))
    return max(usual.dispersion * unit * (1.0 / weight + 1.0 / float(usual.weight[w])), 1e-300)


def _unit(share: Floats, trials: Floats) -> Floats:
    """Return the variance of one call, p (1 - p). A share of 0 or 1 from few calls does not count as never or
    always.
    """
    p = (share * trials + 0.5) / (trials + 1.0)
    return np.asarray(p * (1.0 - p), dtype=np.float64)
