"""Series for each alerting rule: one input with which it fires, and inputs with which it does not.

A series is written as promtool reads it, one value a minute: `10x60` is ten for an hour, `0+5x60` grows by five.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

HOUR_S, DAY_S = 3600, 86_400
_UP: Final = {"driftd_intake_capacity": "1000x400"}
Series = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`labels` are those of the alert besides its name, state and severity. `at` is a time of promtool."""

    firing: Series
    quiet: tuple[Series, ...]
    labels: Mapping[str, str]
    at: str = "30m"


def _named(name: str, **labels: str) -> str:
    inside = ",".join(f'{key}="{value}"' for key, value in labels.items())
    return f"{name}{{{inside}}}" if inside else name


def _gauge(name: str, firing: str, *quiet: str, at: str = "30m", **labels: str) -> Case:
    series = _named(name, **labels)
    return Case(firing={series: firing}, quiet=tuple({series: one} for one in quiet), labels=labels, at=at)


def _condition(rule: str, **labels: str) -> Case:
    series = _named("driftd_alert_conditions", rule=rule, state="firing", **labels)
    return Case(
        firing={series: "1x60"},
        quiet=({series: "0x60"}, {series.replace("firing", "unknown"): "1x60"}),
        labels=labels,
    )


_EXPIRES: Final = "driftd_tls_certificate_expires_seconds"
_CALLS: Final = {"namespace": "prod", "job": "driftd"}
_DEAD: Final = {"source": "otlp", "code": "no_id"}
_LAG: Final = 'driftd_kafka_lag{source="calls",topic="llm",partition="0"}'
_USED: Final = {"deployment": "shop", "period": "day", "limit": "usd"}
_NIGHT: Final = {"schedule": "nightly", "deployment": "shop"}
_SET: Final = {"deployment": "shop", "set": "frozen"}


def _disk(free: str, size: str = "100000000000x500") -> Series:
    return {"driftd_disk_free_bytes": free, "driftd_disk_size_bytes": size}


def _role(role: str, **labels: str) -> str:
    return _named("driftd_intake_capacity", **_CALLS, role=role, **labels)


_CHECKS: Final = _named("driftd_loop_steps_total", **_CALLS, loop="checks", role="control", pod="a")


CASES: Final[Mapping[str, Case]] = {
    "DriftdDown": Case(
        firing={"driftd_loop_steps_total": "1x60"},
        quiet=(
            _UP,
            {"driftd_intake_capacity": "1000x27 _x3"},  # a restart of less than five minutes
            {
                _named("driftd_intake_capacity", job="a", instance="1"): "1x100",
                _named("driftd_intake_capacity", job="b"): "1x200",
            },
        ),
        labels={},
    ),
    "DriftdRoleDown": Case(
        firing={_role("api"): "1000x60", _role("ingest"): "1000x60", _role("control"): "1000x10 _x50"},
        quiet=(
            {_role(role): "1000x60" for role in ("ingest", "control", "api")},
            {
                **{_role(role): "1000x60" for role in ("ingest", "control", "api")},
                _role("work"): "1000x10 _x50",  # the process that leads replays alone
            },
            _UP,  # without roles
        ),
        labels={**_CALLS, "role": "control"},
    ),
    "DriftdNoProcessLeads": Case(
        firing={_role("control", pod="a"): "1000x60", _role("control", pod="b"): "1000x60", _CHECKS: "9x60"},
        quiet=(
            {_role("control", pod="a"): "1000x60", _role("control", pod="b"): "1000x60", _CHECKS: "0+2x60"},
            {_role("control", pod="a"): "1000x27", _CHECKS: "0+2x20 40x40"},  # a takeover within minutes
            _UP,
        ),
        labels=_CALLS,
    ),
    "DriftdRestarting": Case(
        firing={'driftd_loop_steps_total{loop="checks"}': "0+5x5 0+5x5 0+5x5 0+5x20"},
        quiet=(
            {'driftd_loop_steps_total{loop="checks"}': "0+5x20 0+5x40"},
            {'driftd_loop_steps_total{loop="checks"}': "0+5x100"},
        ),
        labels={},
        at="35m",
    ),
    "DriftdLoopLate": _gauge("driftd_loop_overdue_seconds", "1000x60", "800x60", "0x20 1000x3 0x40", loop="link"),
    "DriftdLongLoopLate": _gauge("driftd_loop_overdue_seconds", "30000x60", "10000x60", loop="replay-2"),
    "DriftdLoopRetrying": _gauge("driftd_loop_retries_total", "0+60x60", "0x60", "0+60x1 60x60", loop="link"),
    "DriftdCertificateExpires": _gauge(_EXPIRES, f"{10 * DAY_S}x200", f"{20 * DAY_S}x200", at="90m", listener="api"),
    "DriftdCertificateExpiresSoon": _gauge(_EXPIRES, f"{DAY_S}x60", f"{10 * DAY_S}x60", listener="api"),
    "DriftdTelemetryNotExported": _gauge(
        "driftd_telemetry_export_failures_total", "0+1x60", "0x60", "0 1x60", at="50m", signal="traces"
    ),
    "DriftdIngestLagging": Case(
        firing={"driftd_intake_rows": "900x60", "driftd_intake_capacity": "1000x60"},
        quiet=(
            {
                "driftd_intake_rows": "700x60",
                "driftd_intake_capacity": "1000x60",
                "driftd_intake_oldest_age_seconds": "2x60",
            },
            {"driftd_intake_rows": "0x27 900x60", "driftd_intake_capacity": "1000x60"},
        ),
        labels={},
    ),
    "DriftdIngestRejecting": Case(
        firing={
            _named("driftd_ingest_refused_total", **_CALLS, code="intake_full", transport="otlp"): "0+10x60",
            _named("driftd_ingest_batches_total", **_CALLS, result="committed"): "0+90x60",
        },
        quiet=(
            {
                _named("driftd_ingest_refused_total", **_CALLS, code="intake_full", transport="otlp"): "0+1x60",
                _named("driftd_ingest_batches_total", **_CALLS, result="committed"): "0+90x60",
            },
            {_named("driftd_ingest_batches_total", **_CALLS, result="committed"): "0+90x60"},
        ),
        labels={**_CALLS, "code": "intake_full"},
    ),
    "DriftdDeadLetters": _gauge("driftd_ingest_dead_letters_total", "_x22 30x60", "0+1x60", "30x60", **_DEAD),
    "DriftdKafkaLagGrowing": Case(
        firing={_LAG: "0+100x200"},
        quiet=({_LAG: "0+1x200"}, {_LAG: "20000-100x200"}, {_LAG: "5000x200"}),
        labels={"source": "calls", "topic": "llm"},
        at="120m",
    ),
    "DriftdKafkaStalled": _gauge("driftd_kafka_stalled", "1x60", "0x60", "0x20 1x2 0x60", source="calls"),
    "DriftdStoreNotWritable": _gauge("driftd_store_write_refused_seconds", "0+60x60", "0x60", "0x28 10 0x60"),
    "DriftdCommitsFailing": Case(
        firing={_named("driftd_ingest_batches_total", result="failed"): "0+1x60"},
        quiet=({_named("driftd_ingest_batches_total", result="failed"): "7x60"},),
        labels={},
    ),
    "DriftdIngestPaused": _gauge("driftd_ingest_paused", "1x60", "0x60"),
    "DriftdDiskNearlyFull": Case(
        firing=_disk("5000000000x500"),
        quiet=(_disk("50000000000x500"), _disk("50000000000x500", "1000000000000x500")),
        labels={},
    ),
    "DriftdDiskFullSoon": Case(
        firing=_disk("39000000000-50000000x200"),
        quiet=(_disk("39000000000x200"), _disk("90000000000-100000000x200")),
        labels={},
        at="90m",
    ),
    "DriftdRowsMissing": _condition("DatabaseRowsMissing"),
    "DriftdAuditLogBroken": _condition("AuditLogBroken"),
    "DriftdBackupTooOld": _gauge(
        "driftd_backup_last_success_timestamp_seconds", f"-{2 * DAY_S}x200", "0x200", at="90m"
    ),
    "DriftdScheduleOverdue": _gauge(
        "driftd_schedule_overdue_seconds", f"{7 * HOUR_S}x60", f"{5 * HOUR_S}x60", "0x60", **_NIGHT
    ),
    "DriftdNightsWithoutReplay": _gauge(
        "driftd_schedule_overdue_seconds", f"{40 * HOUR_S}x60", f"{20 * HOUR_S}x60", **_NIGHT
    ),
    "DriftdReplayFailed": Case(
        firing={_named("driftd_replay_runs_total", deployment="shop", state="failed"): "0x10 1x60"},
        quiet=(
            {_named("driftd_replay_runs_total", deployment="shop", state="failed"): "3x60"},
            {_named("driftd_replay_runs_total", deployment="shop", state="complete"): "0+1x60"},
        ),
        labels={"deployment": "shop"},
    ),
    "DriftdNoVerdict": _gauge("driftd_set_verdict_age_seconds", f"{4 * DAY_S}x200", f"{DAY_S}x200", at="90m", **_SET),
    "DriftdBudgetNearlyUsed": _gauge("driftd_budget_used", "0.95x60", "0.5x60", "1.2x60", **_USED),
    "DriftdBudgetUsed": _gauge("driftd_budget_used", "1x60", "0.95x60", **_USED),
    "DriftdJudgeMoved": _condition("JudgeDrift", deployment="shop"),
    "DriftdSentinelsNotJudged": _gauge(
        "driftd_sentinel_age_seconds", f"{3 * DAY_S}x200", f"{DAY_S}x200", at="90m", **_SET
    ),
    "DriftdAlertsNotDelivered": _gauge(
        "driftd_notification_undelivered_age_seconds", "1000x60", "60x60", "0x60", receiver="pager"
    ),
    "DriftdAlertsRefused": Case(
        firing={_named("driftd_notification_deliveries_total", kind="slack", state="refused"): "0+1x60"},
        quiet=(
            {_named("driftd_notification_deliveries_total", kind="slack", state="sent"): "0+1x60"},
            {_named("driftd_notification_deliveries_total", kind="slack", state="refused"): "4x60"},
        ),
        labels={"kind": "slack"},
    ),
    "DriftdAlertmanagerUnreachable": Case(
        firing={_named("driftd_notification_repetitions_total", state="failed"): "0+1x60"},
        quiet=(
            {_named("driftd_notification_repetitions_total", state="failed"): "0x60"},
            {_named("driftd_notification_repetitions_total", state="sent"): "0+1x60"},
        ),
        labels={},
    ),
}
