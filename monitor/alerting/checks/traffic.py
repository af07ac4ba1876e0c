"""Decides whether the traffic of a deployment stopped, compared with the same hours of earlier weeks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from monitor.alerting.checks.condition import Condition, ConditionState
from monitor.domain.check_policy import CheckPolicy

RULE = "TrafficStopped"
WEEK = 168  # hours
WEEKS = 4  # of history at most
FEWEST_WEEKS = 2
WINDOWS = (1, 3, 6, 12, 24, 72, 168)  # hours, all ending with the last complete hour
SHIFTS = (-1, 0, 1)  # hours: a change to or from summer time moves the profile by one
STOPPED = 0.1  # of the least traffic of the same hours of earlier weeks
LEAST_DISPERSION = 0.02  # squared relative deviation from week to week that no profile removes
HOURS_A_YEAR = 8_760


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A window with too few calls. `expected` is the smallest mean of the same hours of earlier weeks over the shifts;
    `p_value` is the probability of at most `calls` calls.
    """

    hours: int
    calls: int
    expected: float
    p_value: float


def traffic_condition(deployment: str, counts: Sequence[int], uptime_h: float, policy: CheckPolicy) -> Condition:
    """Return the condition of TrafficStopped.

    `counts` [hours] are the calls that arrived in each complete hour, the oldest first, without hours before the first
    call. `uptime_h` is the time since driftd started: it received nothing before.
    """
    weeks = min(WEEKS, len(counts) // WEEK - 1)
    alpha = policy.traffic_false_alarms / (HOURS_A_YEAR * len(WINDOWS))
    if weeks < FEWEST_WEEKS:
        state, reason = ConditionState.UNKNOWN, f"{deployment} has less than {FEWEST_WEEKS + 1} weeks of traffic"
    elif (silent := silence(counts, weeks, uptime_h, alpha)) is not None:
        state = ConditionState.FIRING
        reason = (
            f"{deployment} sent {silent.calls} calls in the last {silent.hours} complete hours; the same hours of "
            f"earlier weeks had {silent.expected:.0f} on average (p = {silent.p_value:.1g}, limit {alpha:.1g}, from "
            "alerts.checks.traffic_false_alarms); check the exporter of the application, then `driftd db info`"
        )
    elif uptime_h < 1:
        state, reason = ConditionState.UNKNOWN, f"driftd has run for less than one hour, so {deployment} is not judged"
    else:
        state, reason = ConditionState.CLEAR, f"the traffic of {deployment} is like that of earlier weeks"
    return Condition(rule=RULE, deployment=deployment, subject="traffic", state=state, reason=reason)


def silence(counts: Sequence[int], weeks: int, uptime_h: float, alpha: float) -> Silence | None:
    """Return the shortest window with too few calls; None without one.

    A window is silent when its calls are fewer than a tenth of the same hours of every earlier week, and when the
    lower tail of a negative binomial distribution is at most `alpha`. Its mean is that of the earlier weeks, and its
    dispersion is pooled over all hours of the week and includes the error of the mean. Traffic in the newest hour
    means that it has not stopped.

    Smallest n: `weeks` + 1 weeks of hours.
    """
    for hours in WINDOWS:
        if hours > uptime_h:
            return None
        calls = sum(counts[-hours:])
        earlier = [_windows(counts, hours, weeks, shift) for shift in SHIFTS]
        if calls >= STOPPED * min(min(row) for row in earlier):
            if hours == 1 and calls > 0:
                return None
            continue
        means = [sum(row) / weeks for row in earlier]
        expected = min(means)
        p_value = lower_tail(calls, expected, dispersion(counts, hours, weeks), weeks)
        if p_value <= alpha:
            return Silence(hours=hours, calls=calls, expected=expected, p_value=p_value)
    return None


def dispersion(counts: Sequence[int], hours: int, weeks: int) -> float:
    """Return the squared relative deviation from week to week that exceeds Poisson's, pooled over the week.

    Formula:   sum over hours of (s^2 - m) / sum of m^2, with mean m and variance s^2 over the weeks, at least 0.02.
    """
    excess = squares = 0.0
    for back in range(0, WEEK, max(1, hours // 2)):
        row = [_sum(counts, hours, back + WEEK * week) for week in range(1, weeks + 1)]
        mean = sum(row) / weeks
        excess += sum((one - mean) ** 2 for one in row) / (weeks - 1) - mean
        squares += mean * mean
    return max(LEAST_DISPERSION, excess / squares) if squares else LEAST_DISPERSION


def lower_tail(calls: int, mean: float, dispersed: float, weeks: int) -> float:
    """Return P(N <= calls) of a negative binomial count with this mean, estimated from `weeks` weeks.

    >>> round(lower_tail(0, 10.0, 0.02, 1_000_000), 6)
    0.00011
    """
    variance = (mean + dispersed * mean * mean) * (1 + 1 / weeks)
    size = mean * mean / (variance - mean)
    log_term = size * math.log(size / (size + mean))
    total = math.exp(log_term)
    for n in range(1, calls + 1):
        log_term += math.log((n + size - 1) / n * mean / (size + mean))
        total += math.exp(log_term)
    return min(1.0, total)


def _windows(counts: Sequence[int], hours: int, weeks: int, shift: int) -> list[int]:
    return [_sum(counts, hours, WEEK * week + shift) for week in range(1, weeks + 1)]


def _sum(counts: Sequence[int], hours: int, back: int) -> int:
    """Return the calls of `hours` hours that end `back` hours before the end; hours before the first call have none."""
    end = len(counts) - back
    return sum(counts[max(0, end - hours) : max(0, end)])
