"""Row-level limits: statements of a request that is limited to deployments see and change only rows of these.

Each table and view that a statement names is replaced by a common table expression of the same name with the visible
rows. So no statement, and no route, can forget the limit. A table without a condition here has no visible rows.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import pyarrow as pa

from monitor.domain.deployment_limit import DeploymentLimit
from monitor.errors import Forbidden
from monitor.store.engine.json_columns import from_json

ALL: Final = "TRUE"  # rows without a deployment, which reveal nothing of one
NONE: Final = "FALSE"  # of the daemon as a whole
BY_DEPLOYMENT: Final = "deployment IN {deployments}"
_RUNS: Final = "(SELECT id FROM main.run WHERE deployment IN {deployments})"
BY_RUN: Final = f"run_id IN {_RUNS}"
BY_SPAN: Final = (
    "(trace_id, span_id) IN (SELECT (trace_id, span_id) FROM main.interaction WHERE deployment IN {deployments})"
)
_BY_NAME: Final = "SELECT (set_name, revision) FROM main.run WHERE deployment IN {deployments}"
BY_SET: Final = f"(set_name IN {{sets}} OR (set_name, revision) IN ({_BY_NAME}))"
_ALERTS: Final = "SELECT id FROM main.alert WHERE deployment IN {deployments}"
_OTHER_GROUPS: Final = "SELECT group_id FROM main.alert WHERE group_id IS NOT NULL AND deployment NOT IN {deployments}"
_MATCHERS: Final = """from_json(
    matchers, '[{{"name": "VARCHAR", "value": "VARCHAR", "is_regex": "BOOLEAN", "is_equal": "BOOLEAN"}}]'
)"""
_OTHERS: Final = """list_filter(from_json(deployments, '["VARCHAR"]'), lambda d: d NOT IN {deployments})"""
_NAMES_ONE: Final = "m.name = 'deployment' AND NOT m.is_regex AND m.is_equal AND m.value IN {deployments}"

CONDITIONS: Final[dict[str, str]] = {
    **dict.fromkeys(
        (
            *("alert", "baseline", "candidate", "candidate_band", "candidate_decision", "candidate_member"),
            *("candidate_review", "case_replay", "change", "failure_group", "feedback", "finding", "import_job"),
            *("interaction", "judge_event", "judge_sentinel", "outcome_review", "pin", "planned_instant"),
            *("production_sample", "prompt", "replay_spend", "replayed_prompt", "reproduction", "rescore"),
            *("result_import", "run", "sampled_candidate", "span_context", "traffic_report", "turn_calibration"),
            *("turn_progress", "turn_review", "turn_signal", "version"),
            *("day_continuation", "day_correction", "day_ending", "day_latency", "day_traffic", "set_noise"),
            *("settled_day", "current_feedback", "feedback_link", "folded_feedback"),
            *("current_interaction", "folded_interaction", "current_turn_signal", "folded_turn_signal"),
        ),
        BY_DEPLOYMENT,
    ),
    **dict.fromkeys(
        (
            *("case_result", "case_verdict", "folded_sample", "judge_spend", "metric_sample", "outcome"),
            *("result_import_case", "run_count", "run_judge", "run_metric", "run_tally", "sample_result", "score"),
            *("settled_run", "unsettled_case", "unsettled_metric"),
            *("current_outcome", "current_score", "folded_outcome", "folded_score", "outcome_end", "score_end"),
        ),
        BY_RUN,
    ),
    **dict.fromkeys(
        ("current_span_content", "folded_span_content", "span_content", "span_content_end", "span_link"), BY_SPAN
    ),
    **dict.fromkeys(("dynamic_case", "eval_case", "set_refresh"), BY_SET),
    "eval_set": BY_SET.replace("set_name IN {", "name IN {").replace("(set_name, revision) IN", "(name, revision) IN"),
    **dict.fromkeys(
        (
            "dead_letter_end",
            "feedback_end",
            "file_position",
            "idempotency",
            "interaction_end",
            "turn_signal_end",
            "watermark",
        ),
        ALL,
    ),
    **dict.fromkeys(
        (
            *(
                "api_token",
                "audit_entry",
                "compaction",
                "configured_token_use",
                "current_dead_letter",
                "dead_letter",
                "folded_dead_letter",
                "import_file",
                "judge_answer",
            ),
            *("kafka_offset", "loss", "receiver_state", "schema_migration"),
        ),
        NONE,
    ),
    "feedback_override": "id IN (SELECT id FROM main.current_feedback WHERE deployment IN {deployments})",
    "correction_signal": "interaction_id IN (SELECT id FROM main.interaction WHERE deployment IN {deployments})",
    "alert_event": f"alert_id IN ({_ALERTS})",
    # A group of alerts has one message: it is visible when all its alerts are.
    "notification": f"alert_id IN ({_ALERTS}) AND (group_id IS NULL OR group_id NOT IN ({_OTHER_GROUPS}))",
    "pairwise_verdict": f"run_a IN {_RUNS} AND run_b IN {_RUNS}",
    "reproduction_reply": "candidate_id IN (SELECT id FROM main.candidate WHERE deployment IN {deployments})",
    "rescored_score": "rescore_id IN (SELECT id FROM main.rescore WHERE deployment IN {deployments})",
    "sentinel_verdict": "sentinel_id IN (SELECT id FROM main.judge_sentinel WHERE deployment IN {deployments})",
    # Who looked at a set that other deployments share, and when, is not for this sender.
    "case_access": "CASE WHEN kind = 'reveal' THEN set_name IN {own_sets} ELSE who IN {deployments} END",
    "reveal_log": "set_name IN {own_sets}",
    "silence": f"len(list_filter({_MATCHERS}, lambda m: {_NAMES_ONE})) > 0",
    "schedule_pause": "schedule IN {schedules}",
    **dict.fromkeys(("set_health", "set_health_day"), f"set_name IN {{sets}} AND len({_OTHERS}) = 0"),
}
CHANGED: Final[dict[str, str]] = {
    **dict.fromkeys(["eval_case", "set_refresh"], "set_name IN {own_sets}"),
    "eval_set": "name IN {own_sets}",
    "schedule_pause": "schedule IN {own_schedules}",
}
"""Conditions of rows that the sender changes, where they are not those of the rows that it sees."""
APPENDED: Final = frozenset({"audit_entry", "dead_letter", "reveal_log", "idempotency"})  # whatever the limit is
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BEGIN: Final = re.compile(r"\A(?:\s|--[^\n]*\n)*(WITH\s+(?:RECURSIVE\s+)?)?", re.IGNORECASE)
_CHANGE: Final = re.compile(r"^\s*(?:UPDATE|DELETE\s+FROM)\s+(\w+)", re.IGNORECASE | re.MULTILINE)
_TARGET: Final = re.compile(
    r"^(\s*(?:UPDATE|DELETE\s+FROM|INSERT\s+(?:OR\s+REPLACE\s+)?INTO)\s+)(?=\w)", re.IGNORECASE | re.MULTILINE
)


@lru_cache(maxsize=2048)
def limited(sql: str, limit: DeploymentLimit) -> str:
    """Return the statement with only the visible rows of each table, and with only rows that the sender may change."""
    names = sorted({word for word in _WORD.findall(_code(sql)) if word in CONDITIONS})
    rows = "rowid, *" if "rowid" in sql else "*"  # a view has no rowid; no statement with one reads a view
    sql = _TARGET.sub(r"\1main.", _narrowed(sql, limit), count=1)
    found = _BEGIN.match(sql)
    assert found is not None  # every part of the pattern is optional
    views = [_view(name, rows, limit) for name in names if CONDITIONS[name] != ALL]
    if not views:
        return sql
    begin, rest = found[1] or "WITH ", sql[found.end() :]
    return begin + ",\n".join(views) + (",\n" if found[1] else "\n") + rest


def check_rows(table: str, rows: pa.Table, limit: DeploymentLimit) -> None:
    """Raise Forbidden when rows to append belong to something outside the limit."""
    if table in APPENDED or CONDITIONS.get(table) == ALL:
        return
    if CONDITIONS.get(table, NONE) == NONE:
        raise Forbidden("this change needs a token without a limit to deployments")
    if "deployment" in rows.column_names:
        limit.require(rows["deployment"].to_pylist())
    if table in {"eval_set", "eval_case", "set_refresh"}:
        limit.require_own_sets(rows["name" if table == "eval_set" else "set_name"].to_pylist())
    if table == "silence":
        _require_matcher(rows["matchers"].to_pylist(), limit)
    if table == "schedule_pause":
        limit.require_own_schedules(rows["schedule"].to_pylist())


def _require_matcher(matchers: Iterable[str], limit: DeploymentLimit) -> None:
    """Raise Forbidden unless each silence has a matcher `deployment=NAME` with a deployment of the limit."""
    for each in matchers:
        found = [m for m in from_json(each) if m["name"] == "deployment" and m["is_equal"] and not m["is_regex"]]
        if not any(m["value"] in limit.deployments for m in found):
            allowed = ", ".join(sorted(limit.deployments))
            raise Forbidden(f"the silence needs a matcher deployment=NAME with a deployment of this token: {allowed}")


def _view(name: str, rows: str, limit: DeploymentLimit) -> str:
    return f"{name} AS NOT MATERIALIZED (SELECT {rows} FROM main.{name} WHERE {_condition(CONDITIONS[name], limit)})"  # noqa: S608 - names of tables, and literals of _list


def _condition(template: str, limit: DeploymentLimit) -> str:
    return template.format(
        deployments=_list(limit.deployments),
        sets=_list(limit.sets),
        own_sets=_list(limit.own_sets),
        schedules=_list(limit.schedules),
        own_schedules=_list(limit.own_schedules),
    )


def _list(names: Iterable[str]) -> str:
    """Return a list of SQL literals; an empty one contains NULL, which equals no name."""
    return "(" + (", ".join("'" + name.replace("'", "''") + "'" for name in sorted(names)) or "NULL") + ")"


def _narrowed(sql: str, limit: DeploymentLimit) -> str:
    """Add the condition of the changed table to an UPDATE or a DELETE."""
    found = _CHANGE.search(_code(sql))
    if found is None:
        return sql
    table = found[1]
    condition = _condition(CHANGED.get(table) or CONDITIONS.get(table, NONE), limit)
    condition = f"{table}.rowid IN (SELECT rowid FROM main.{table} WHERE {condition})"  # noqa: S608
    where, end = _outer_where(sql), sql.rstrip().rstrip(";")
    if where is None:
        return f"{end}\nWHERE {condition}"
    return f"{end[:where]} ({end[where:].strip()}\n) AND {condition}"


def _outer_where(sql: str) -> int | None:
    """Return the position after the WHERE that is in no parentheses."""
    depth = 0
    for found in re.finditer(r"[()]|\bWHERE\b", _code(sql), re.IGNORECASE):
        if found[0] in "()":
            depth += 1 if found[0] == "(" else -1
        elif depth == 0:
            return found.end()
    return None


def _code(sql: str) -> str:
    """Return the statement with blanks instead of comments and literals."""
    return re.sub(r"--[^\n]*|'(?:[^']|'')*'", lambda found: " " * len(found[0]), sql)
