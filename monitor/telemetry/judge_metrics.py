"""The metrics of judges."""

from monitor.telemetry.metric import CALL_S, Metric

JUDGE_METRICS: tuple[Metric, ...] = (
    Metric(
        name="driftd.judge.calls",
        kind="counter",
        unit="{call}",
        description="Calls to a judge, including retries and repairs, by result as in driftd.replay.calls.",
        action="Errors of a judge: check its endpoint and its key.",
        labels=(
            "judge",
            "result",
        ),
    ),
    Metric(
        name="driftd.judge.call.duration",
        kind="histogram",
        unit="s",
        description="Duration of an answered call to a judge.",
        action="A rising value makes nights longer.",
        labels=("judge",),
        buckets=CALL_S,
    ),
    Metric(
        name="driftd.judge.tokens",
        kind="counter",
        unit="{token}",
        description="Tokens that answers of a judge reported.",
        action="Use it to plan budgets.",
        labels=(
            "judge",
            "direction",
        ),
    ),
    Metric(
        name="driftd.judge.cost",
        kind="counter",
        unit="usd",
        description="Cost in US dollars of answers of a judge with a configured price.",
        action="Use it to plan budgets.",
        labels=("judge",),
    ),
    Metric(
        name="driftd.judge.verdicts",
        kind="counter",
        unit="{verdict}",
        description="Verdicts of a judge by result: judged, cached, or unjudged (no valid verdict).",
        action="Many `unjudged`: the judge does not follow its format. See judges.md.",
        labels=(
            "judge",
            "result",
        ),
    ),
    Metric(
        name="driftd.sentinel.age",
        kind="gauge",
        unit="s",
        description=(
            "Time since a judge last judged the sentinels of a set; before the first time, since the first was added."
        ),
        action="See the runbook SentinelsNotJudged.",
        labels=(
            "deployment",
            "set",
        ),
    ),
)
