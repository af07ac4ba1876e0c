"""The metrics of replays, their schedules and budgets, and of verdicts."""

from monitor.telemetry.metric import CALL_S, LATE_S, Metric

REPLAY_METRICS: tuple[Metric, ...] = (
    Metric(
        name="driftd.replay.calls",
        kind="counter",
        unit="{call}",
        description=(
            "Calls to a target, including retries, by result: answered, a class of error, or abandoned (time "
            "limit, stop)."
        ),
        action="Errors of a target: see the runbook TargetUnreachable or TargetUnauthorized.",
        labels=(
            "deployment",
            "result",
        ),
    ),
    Metric(
        name="driftd.replay.call.duration",
        kind="histogram",
        unit="s",
        description="Duration of an answered call.",
        action="Compare it with the latency of production. A rising value makes nights longer.",
        labels=("deployment",),
        buckets=CALL_S,
    ),
    Metric(
        name="driftd.replay.tokens",
        kind="counter",
        unit="{token}",
        description="Tokens that answers reported.",
        action="Use it to plan budgets.",
        labels=(
            "deployment",
            "direction",
        ),
    ),
    Metric(
        name="driftd.replay.cost",
        kind="counter",
        unit="usd",
        description="Cost in US dollars of answers with a configured price.",
        action="Use it to plan budgets.",
        labels=("deployment",),
    ),
    Metric(
        name="driftd.replay.outcomes",
        kind="counter",
        unit="{outcome}",
        description="Committed outcomes: passed, failed, unscored (a scorer had no verdict) or error (no answer).",
        action="Many `error` or `unscored` lead to a night without a verdict: see the runbook ReplayInsufficient.",
        labels=(
            "deployment",
            "result",
        ),
    ),
    Metric(
        name="driftd.replay.slices",
        kind="counter",
        unit="{slice}",
        description="Slices of runs that a process of the role `work` ended, by result: done, or put_back: a stop, a "
        "budget or a failure ended it.",
        action="Many `put_back` slices: read the errors of the runs.",
        labels=("deployment", "result"),
    ),
    Metric(
        name="driftd.replay.runs",
        kind="counter",
        unit="{run}",
        description="Replays that ended, by state: complete, failed or cancelled.",
        action="After `failed`, see the runbook ReplayFailed.",
        labels=(
            "deployment",
            "state",
        ),
    ),
    Metric(
        name="driftd.replay.slices.open",
        kind="gauge",
        unit="{slice}",
        description="Slices of runs that are not done, of all processes with one lake: waiting, or at_work.",
        action="If slices wait for long and the target has free calls, start more processes of the role `work`.",
        labels=("state",),
    ),
    Metric(
        name="driftd.schedule.lateness",
        kind="histogram",
        unit="s",
        description="Time from the planned time of a night to the planning of its runs.",
        action="Late plans mean that the daemon was down, or that a blackout moved the night.",
        buckets=LATE_S,
    ),
    Metric(
        name="driftd.schedule.last_success.timestamp",
        kind="gauge",
        unit="s",
        description="Time when the newest complete replay of a schedule ended, in seconds since 1970-01-01 UTC.",
        action="Compare it with the schedule; `driftd_schedule_overdue_seconds` does so.",
        labels=(
            "schedule",
            "deployment",
        ),
    ),
    Metric(
        name="driftd.schedule.overdue",
        kind="gauge",
        unit="s",
        description=(
            "Time since the first planned time of a schedule without a complete replay that ended after it; 0 "
            "without one."
        ),
        action="See the runbook ScheduleOverdue.",
        labels=(
            "schedule",
            "deployment",
        ),
    ),
    Metric(
        name="driftd.budget.used",
        kind="gauge",
        unit="{share}",
        description=(
            "Used share of a daily or monthly budget of a deployment, by limit: requests, tokens or usd. 1 is all"
            " of it."
        ),
        action="At 1 replays wait until the period ends: see the runbook BudgetExhausted.",
        labels=(
            "deployment",
            "period",
            "limit",
        ),
    ),
    Metric(
        name="driftd.findings",
        kind="counter",
        unit="{finding}",
        description="Findings, by verdict.",
        action="None; driftd alerts when a person is needed.",
        labels=(
            "deployment",
            "verdict",
        ),
    ),
    Metric(
        name="driftd.set.pass_rate",
        kind="gauge",
        unit="{share}",
        description="Passed share of the scored cases, from 0 to 1, in the newest complete replay of a set.",
        action="Do not alert on it: driftd decides with the noise of the set. Show it on a dashboard.",
        labels=(
            "deployment",
            "set",
            "kind",
        ),
    ),
    Metric(
        name="driftd.set.verdict.age",
        kind="gauge",
        unit="s",
        description=(
            "Time since the last verdict ok, improvement or regression of a set; failed and insufficient do not count."
        ),
        action="See the runbooks ReplayMissed, ReplayFailed and ReplayInsufficient.",
        labels=(
            "deployment",
            "set",
            "kind",
        ),
    ),
    Metric(
        name="driftd.production.correction_rate",
        kind="gauge",
        unit="{share}",
        description="Corrections per production call over the last seven days, updated every five minutes.",
        action="Show it on a dashboard. driftd alerts with the rule CorrectionRate.",
        labels=("deployment",),
    ),
    Metric(
        name="driftd.turns",
        kind="counter",
        unit="{turn}",
        description="Turns of users that were judged, by result: correction or other.",
        action="None.",
        labels=(
            "deployment",
            "result",
        ),
    ),
    Metric(
        name="driftd.traffic_reports",
        kind="counter",
        unit="{traffic_report}",
        description="Traffic reports, by state: made, insufficient (too few calls) or failed.",
        action="After `failed`, read the log. `insufficient` repairs itself with more calls.",
        labels=(
            "deployment",
            "state",
        ),
    ),
)
