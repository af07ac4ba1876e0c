"""The Arrow schema of every table, and the conversion from rows to columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from monitor.errors import MalformedRecord

_TYPES: Final = {
    "text": pa.string(),
    "time": pa.timestamp("us", tz="UTC"),
    "float": pa.float64(),
    "int": pa.int64(),
    "bool": pa.bool_(),
    "bytes": pa.binary(),
    "date": pa.date32(),
}


def _schema(**names: str) -> pa.Schema:
    """Return a schema from names by type: `_schema(text="id name", time="at")`. Rows are inserted by name, in any
    order.
    """
    return pa.schema([(name, _TYPES[kind]) for kind, columns in names.items() for name in columns.split()])


TABLES: Final[Mapping[str, pa.Schema]] = {
    "interaction": _schema(
        text="id deployment origin run_id source convention conversation_id user_id trace_id span_id parent_span_id "
        "response_id provider request_model response_model system_fingerprint prompt_id prompt_version prompt_hash "
        "system_prompt input_messages output_messages input_text output_text finish_reason finish_reason_raw status "
        "error_class error_type content_state category identity attributes usage_source cost_source price_table "
        "documents conversation_source user_source duplicate_of refusal own_values limited_to",
        time="started_at received_at",
        float="duration_ms temperature top_p cost_usd ttft_ms",
        int="input_tokens output_tokens cached_input_tokens reasoning_tokens max_tokens seed",
    ),
    "span_content": _schema(
        text="trace_id span_id system_prompt input_messages output_messages finish_reason finish_reason_raw limited_to",
        time="received_at",
        bool="cut",
    ),
    "span_context": _schema(
        text="deployment trace_id span_id parent_span_id conversation_id conversation_source user_id user_source "
        "prompt_id prompt_version documents limited_to",
        time="received_at ended_at",
    ),
    "span_link": _schema(text="trace_id span_id parent_span_id limited_to", bool="is_tool", time="received_at"),
    "feedback": _schema(
        text="id deployment kind source text comment expected failure_category interaction_id trace_id span_id "
        "response_id conversation_id linked_interaction_id link_method name label overrides record limited_to",
        time="at received_at",
        float="value score",
        bool="is_correction",
    ),
    "dead_letter": _schema(text="id source code reason", time="received_at", bytes="raw", int="raw_bytes"),
    "kafka_offset": _schema(text="cluster_id topic_id topic", int="partition next_offset", time="stored_at"),
    "version": _schema(text="id deployment label identity how evidence", time="first_seen"),
    "change": _schema(text="id deployment kind how from_version to_version evidence", time="at noted_at"),
    "candidate": _schema(
        text="id deployment interaction_id feedback_id input_text expected category failure_category content_hash "
        "state decided_by reason messages edited_messages system_prompt documents bad_output must_include must_not "
        "severity basis severity_reason provenance held taxonomy categorization",
        time="proposed_at decided_at",
        int="revision",
    ),
    "candidate_member": _schema(
        text="correction_id candidate_id deployment interaction_id user tenant value held skipped",
        time="at",
        float="trust",
        bool="founder",
    ),
    "candidate_band": _schema(text="deployment candidate_id", int="band"),
    "sampled_candidate": _schema(text="candidate_id deployment content_hash intent severity", time="drawn_at"),
    "production_sample": _schema(text="deployment strata", time="at since", int="calls drawn questions"),
    "failure_group": _schema(
        text="id deployment name terms members parent state taxonomy decided_by",
        float="share",
        time="first_seen last_seen decided_at",
    ),
    "candidate_decision": _schema(text="id candidate_id deployment who action state changed reason", time="at"),
    "turn_signal": _schema(
        text="id deployment interaction_id code detector version also evidence quote answer_id link_method",
        time="at judged_at",
        float="score link_score",
        bool="flagged",
    ),
    "turn_review": _schema(text="signal_id deployment who code version", time="at", bool="corrects flagged sampled"),
    "turn_calibration": _schema(text="deployment who", time="at", float="slope intercept threshold", int="reviews"),
    "turn_progress": _schema(text="deployment version", time="began_at since until", int="seed"),
    "reproduction": _schema(
        text="candidate_id deployment run_id trace_prefix state input_digest version target label error",
        time="began_at ended_at",
        int="samples revision scored failures",
        float="low high",
    ),
    "reproduction_reply": _schema(
        text="candidate_id run_id output error reason model",
        time="at",
        int="sample input_tokens output_tokens",
        bool="fails",
        float="latency_ms cost_usd",
    ),
    "candidate_review": _schema(
        text="id candidate_id deployment reviewer action content snapshot edits reason",
        time="at undone_at",
        int="revision",
        bool="applied blind second",
        float="seconds",
    ),
    "eval_set": _schema(
        text="name kind revision canary parent origin format licence source benchmark_canary",
        time="created_at",
        int="cases",
        bool="sealed",
    ),
    "eval_case": _schema(
        text="set_name revision case_id category severity content_mac input_mac turn_macs part cluster",
        int="position",
        bytes="content",
    ),
    "run": _schema(
        text="id deployment set_name set_kind revision trigger state trace_prefix change_id version manifest error "
        "forecast stopped_by first_look",
        time="planned_at started_at finished_at retry_at",
        int="samples cases repeats repeat_offset cases_attempted retries crashes",
    ),
    "outcome": _schema(
        text="run_id case_id trace_id text finish_reason model system_fingerprint response_id reported error_class "
        "error_message tool_calls turns",
        time="started_at reported_at",
        float="latency_ms cost_usd ttft_ms",
        int="sample attempts input_tokens output_tokens",
        bytes="text_sealed tool_calls_sealed turns_sealed",
    ),
    "score": _schema(
        text="run_id case_id scorer scorer_version label failure_category reason component judge_model judge_prompt "
        "rubric_version",
        float="value raw",
        int="sample",
        bool="decides",
        bytes="reason_sealed",
    ),
    "result_import": _schema(
        text="run_id deployment set_name run_key digest state source replaced_by", int="rows", time="at"
    ),
    "result_import_case": _schema(text="run_id case_id category content_mac input_mac", int="ordinal", bytes="content"),
    "pairwise_verdict": _schema(
        text="case_id content_mac run_a run_b winner shown judge judge_model judge_prompt rubric_version reason",
        int="sample_a sample_b",
        time="at",
        bool="position_agrees",
        bytes="reason_sealed",
    ),
    "outcome_review": _schema(
        text="id run_id case_id deployment set_name scorer who failure_category note judge_failure_category "
        "judge_model judge_prompt rubric_version",
        int="sample",
        float="score judge_value judge_raw",
        bool="passes blind sampled judge_passes",
        time="at",
    ),
    "judge_sentinel": _schema(
        text="id deployment set_name scorer run_id case_id failure_category added_by removed_by",
        int="sample",
        bool="passes sealed",
        bytes="content",
        time="added_at removed_at",
    ),
    "sentinel_verdict": _schema(
        text="sentinel_id round reason judge_model judge_prompt rubric_version", float="value raw", time="at"
    ),
    "rescore": _schema(
        text="id run_id deployment set_name scorer overrides scorer_version who state error",
        int="max_outcomes",
        time="at finished_at",
    ),
    "rescored_score": _schema(
        text="rescore_id case_id scorer component scorer_version label failure_category reason judge_model "
        "judge_prompt rubric_version",
        int="sample",
        float="value raw",
    ),
    "import_job": _schema(
        text="id source name digest deployment set_name format options reader who state runs code error limited_to",
        time="at started_at finished_at modified_at",
        int="bytes files rows attempts",
    ),
    "import_file": _schema(text="source path digest import_id", int="bytes modified_ns", time="at"),
    "set_noise": _schema(text="deployment set_name inputs document"),
    "set_health": _schema(
        text="set_name deployments revision inputs concerns document", time="computed_at", int="runs"
    ),
    "set_health_day": _schema(
        text="set_name deployments revision day_digest",
        date="day",
        time="computed_at",
        int="day_runs cases runs concerns versions judged calls redundant budget max_exposure over_budget "
        "revealed_cases",
        float="saturation distant distant_low distant_high uncovered redundancy median_exposure median_age_days "
        "oldest_age_days",
    ),
    "judge_event": _schema(
        text="id deployment set_name scorer kind who reason judge_model judge_prompt rubric_version", time="at"
    ),
    "finding": _schema(
        text="id deployment signal segment set_name set_kind verdict severity reason candidate_run baseline_run "
        "from_version to_version change_id comparison evidence series production source "
        "decided acceptance rule severity_gate part parts metric held_back",
        time="at",
        float="alpha",
        bool="alerted",
        date="day",
    ),
    "baseline": _schema(
        text="id deployment set_name run_id finding_id who reason old_first_run old_last_run series",
        time="counts_from at",
    ),
    "pin": _schema(
        text="id deployment set_name run_id first_run who reason ended_by", time="counts_from counts_to at ended_at"
    ),
    "alert": _schema(
        text="id dedup_key deployment set_name state severity summary finding_id last_finding_id from_version "
        "to_version baseline_run series source acceptance rule category metric change_id group_key group_id "
        "acknowledged_by acknowledged_note verdict verdict_by verdict_note",
        time="pending_since updated_at fired_at resolved_at clear_since acknowledged_at verdict_at",
        bool="flapping",
    ),
    "alert_event": _schema(text="id alert_id kind who note", time="at"),
    "api_token": _schema(
        text="id name sha256 beginning roles created_by replaces revoked_by deployments last_used_from",
        time="created_at expires_at revoked_at last_used_at",
    ),
    "audit_entry": _schema(
        text="kind operation principal deployment object_id address request_id previous hash",
        int="number status count",
        time="at",
    ),
    "silence": _schema(
        text="id matchers created_by comment expired_by", time="starts_at ends_at created_at expired_at"
    ),
    "notification": _schema(
        text="id alert_id group_id receiver reason payload state error",
        time="planned_at next_attempt_at sent_at",
        int="attempt",
        bool="refused",
    ),
    "receiver_state": _schema(text="receiver group_id value", time="stored_at"),
    "planned_instant": _schema(text="schedule deployment", time="instant handled_at"),
    "schedule_pause": _schema(text="id schedule paused_by reason resumed_by", time="paused_at ends_at resumed_at"),
    "replay_spend": _schema(text="run_id deployment", time="at", int="requests open tokens", float="usd"),
    "judge_spend": _schema(text="run_id judge", time="at", int="requests open tokens", float="usd"),
    "judge_answer": _schema(text="key set_name case_id judge model text", bytes="sealed", time="at"),
    "case_replay": _schema(
        text="kind deployment set_name revision run_id provider model case_id", time="at", int="calls"
    ),
    "reveal_log": _schema(text="who what set_name revision case_ids", time="at"),
    "set_refresh": _schema(
        text="set_name revision parent entered left replaced kept_out moved parts", time="at", int="cases carried"
    ),
    "idempotency": _schema(text="key route request_hash body", int="status", time="at"),
    "compaction": _schema(text="id kind who user_hash removed", time="at compacted_at"),
    "prompt": _schema(text="deployment version text", time="at"),
    "replayed_prompt": _schema(text="deployment digest text prompt_id prompt_version", bool="is_template"),
    "traffic_report": _schema(
        text="id deployment kind state reason path sha256 summary", time="at reference_since since until", int="bytes"
    ),
}

IDS: Final = _schema(text="id")
DAYS: Final = _schema(text="deployment", date="day")
DAY_PRICES: Final = _schema(
    text="deployment prices", bool="cost_of_calls", float="input_usd_per_mtok output_usd_per_mtok"
)
KEYS_OF_TURNS: Final = _schema(text="turn_id deployment conversation_id user_id", time="started_at")
BANDS: Final = _schema(text="key", int="band")
QUESTIONS: Final = _schema(text="question")
SAMPLES: Final = _schema(text="case_id", int="sample")
OUTCOMES: Final = _schema(text="run_id case_id", int="sample")
RESEALED_CASES: Final = _schema(text="case_id content_mac input_mac turn_macs", bytes="content")
RESEALED_OUTCOMES: Final = _schema(
    text="run_id case_id", int="sample", bytes="text_sealed tool_calls_sealed turns_sealed"
)
RESEALED_SCORES: Final = _schema(text="run_id case_id scorer component", int="sample", bytes="reason_sealed")
RESEALED_PAIRS: Final = _schema(
    text="run_a run_b case_id shown judge judge_model judge_prompt rubric_version",
    int="sample_a sample_b",
    bytes="reason_sealed",
)
RESEALED_SENTINELS: Final = _schema(text="id", bytes="content")
LINKS: Final = _schema(text="feedback_id interaction_id method deployment")
SPANS: Final = _schema(text="trace_id span_id")
KEYS_OF_INTERACTIONS: Final = _schema(text="id trace_id response_id conversation_id")
OFFSET_MOVES: Final = _schema(text="cluster_id topic_id topic", int="partition before after", time="at")
LIMITS: Final = _schema(text="deployment", time="before", int="max_rows")
CALLS: Final = _schema(
    text="id window input_text output_text category status finish_reason content failure_category",
    int="input_chars output_chars input_tokens output_tokens",
    float="latency_ms",
    bool="corrected",
)
KEYS_OF_FEEDBACK: Final = _schema(
    text="feedback_id deployment interaction_id trace_id span_id response_id conversation_id limited_to", time="at"
)
FILLED: Final = _schema(
    text="id system_prompt input_messages output_messages input_text output_text finish_reason finish_reason_raw "
    "status content_state prompt_hash identity refusal",
)
REFUSALS: Final = _schema(text="id refusal", time="started_at")


Columns = Mapping[str, Sequence[Any]]  # one list for each column, all of the same length
FILLED_AROUND: Final = _schema(
    text="id conversation_id conversation_source user_id user_source prompt_id prompt_version documents identity"
)
KEPT_REPORTS: Final = _schema(text="id kept")
TRACES: Final = _schema(text="trace_id")
FILLED_CALLS: Final = _schema(
    text="id response_id provider request_model response_model system_fingerprint usage_source category "
    "conversation_id conversation_source user_id user_source prompt_id prompt_version prompt_hash system_prompt "
    "input_messages output_messages input_text output_text documents cost_source price_table error_type error_class "
    "finish_reason finish_reason_raw status content_state identity refusal own_values",
    float="ttft_ms temperature top_p duration_ms cost_usd",
    int="input_tokens output_tokens cached_input_tokens reasoning_tokens max_tokens seed",
)


def table_of(schema: pa.Schema, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return rows as an Arrow table; see `table_from`."""
    return table_from(schema, columns_of(schema.names, rows))


def columns_of(names: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> Columns:
    """Return rows as columns. A missing value is None."""
    return {name: [row.get(name) for row in rows] for name in names}


def table_from(schema: pa.Schema, columns: Columns) -> pa.Table:
    """Return columns as an Arrow table of the schema.

    Unpaired surrogates, which JSON can contain and UTF-8 cannot, become U+FFFD. Any other value that does not fit its
    column raises MalformedRecord with the name of the column.
    """
    return pa.Table.from_arrays([_column(field, columns[field.name]) for field in schema], schema=schema)


def _column(field: pa.Field, values: Sequence[Any]) -> pa.Array:
    try:
        if values and values.count(values[0]) == len(values):  # half of the columns have the same value in all rows
            return pa.repeat(pa.scalar(values[0], field.type), len(values))
        # pyarrow imports pandas when it converts the first list of a process: 0.25 s of CPU and 49 MB.
        return pa.array(values, field.type)
    except UnicodeEncodeError:
        return pa.array([value and _encodable(value) for value in values], field.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise MalformedRecord(f"column {field.name!r} cannot hold one of its {len(values)} values: {error}") from error


def _encodable(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
