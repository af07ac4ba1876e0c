"""The slow slices of the suite: tests of whole processes and of real components. `make test-components` runs them.

`make test` runs everything else. A path is a folder or a file under tests/: all its tests have the marker `component`.
Up to three that fail run once more, alone (`.ci/components`).
The longest of them also have the marker `nightly`: `.ci/nightly` runs them, and `.ci/run` runs a slice of each matrix.
"""

import re
from pathlib import PurePosixPath
from typing import Final

from _pytest.mark.expression import Expression

COMPONENTS: Final[dict[str, str]] = {
    "alerting/notify/real": "a real Alertmanager",
    "app": "the whole daemon over many nights",
    "bench/test_corrections.py": "a detector trained several times",
    "bench/test_dashboard_measuring.py": "a daemon process",
    "bench/test_growth_measuring.py": "real load on a daemon",
    "bench/test_ingest_measuring.py": "real load on real servers",
    "bench/test_rival_process.py": "other drift detectors in their own processes",
    "bench/test_selection.py": "simulations",
    "bench/test_sizing_measuring.py": "a daemon process",
    "bench/test_speed_measuring.py": "real load on real servers",
    "app/test_disk_reserve.py": "whole daemons on a disk of their own",
    "app/test_full_disk.py": "whole daemons on a disk of their own",
    "app/test_health_rules.py": "a whole daemon",
    "cli/changes/test_ci_gate.py": "pipelines against a daemon process",
    "cli/connection/test_identity.py": "daemon processes",
    "cli/dashboard/test_commands.py": "Streamlit processes",
    "cli/dashboard/test_listener.py": "a Streamlit process",
    "cli/demo/test_readme.py": "the commands of README against a daemon process",
    "cli/findings/test_commands.py": "whole daemons",
    "cli/review/test_in_a_terminal.py": "processes in a pseudo-terminal",
    "cli/sets/test_keys.py": "daemon processes",
    "cli/test_check_daemon.py": "daemon processes",
    "cli/test_connections.py": "daemon processes",
    "cli/test_db.py": "daemon processes",
    "cli/test_db_backup.py": "daemon processes and kills",
    "cli/test_in_process.py": "whole daemons",
    "cli/test_ingest.py": "daemon processes and kills",
    "cli/test_judged_runs.py": "whole daemons and a judge",
    "cli/test_losses.py": "daemon processes",
    "cli/test_documented_commands.py": "a daemon and commands as processes",
    "cli/test_private_files.py": "daemon processes",
    "cli/test_results_daemon.py": "daemon processes and kills",
    "cli/test_schedules_in_process.py": "whole daemons",
    "cli/test_serve.py": "daemon processes",
    "clients": "SDKs of other products",
    "dashboards/test_alerts_in_a_browser.py": "a browser",
    "dashboards/test_compare.py": "the whole daemon behind the page",
    "dashboards/test_cases_in_a_browser.py": "a browser",
    "dashboards/test_compare_in_a_browser.py": "a browser",
    "dashboards/test_every_page.py": "the demo and a browser",
    "dashboards/test_in_a_browser.py": "a browser",
    "dashboards/test_login_in_a_browser.py": "a browser and an OpenID Connect provider",
    "dashboards/test_one_message.py": "the whole daemon behind every surface",
    "dashboards/test_production_in_a_browser.py": "a browser",
    "dashboards/test_review_in_a_browser.py": "a browser",
    "demo": "the demo from start to end",
    "drift/detect/test_pinned_run.py": "half a year of simulated nights",
    "examples": "the examples as processes",
    "fuzz": "hostile input against whole servers",
    "helm": "a real Helm",
    "ingest/feedback_shapes/test_linear_time.py": "megabytes of nested input",
    "ingest/files": "large files of every format",
    "ingest/http/test_transports.py": "the same content over every transport",
    "ingest/kafka": "a real Kafka broker",
    "ingest/normalize/test_feedback_conformance.py": "requests that real clients sent, replayed in full",
    "ingest/results/test_object_store.py": "an object store over HTTP",
    "ingest/test_collector.py": "a real OpenTelemetry Collector",
    "ingest/test_conformance.py": "requests that real clients sent, replayed in full",
    "install/test_commands.py": "the commands of the documentation as processes",
    "install/test_nginx.py": "nginx, a daemon and a browser",
    "install/test_wheel.py": "a wheel in a new environment",
    "jobs/alerting/test_alert_machine.py": "random incidents through all loops",
    "jobs/alerting/test_change_event_kills.py": "processes and kills",
    "jobs/alerting/test_replay_checks.py": "simulated weeks through all loops",
    "jobs/alerting/test_resend_loop.py": "incidents through all loops",
    "jobs/linking/test_duplicates.py": "random traces in every order",
    "jobs/traffic_reports": "Evidently in its own process",
    "jobs/verdict": "simulated nights through all loops",
    "kills": "processes killed at random",
    "kubernetes": "a real Kubernetes with one node",
    "schedules/test_matrix.py": "ten time zones over three years",
    "soak": "simulated nights of a whole daemon",
    "replay/recorded/test_real_answers.py": "thousands of recorded answers over HTTP",
    "replay/sql": "processes with databases in memory",
    "replay/sandbox": "programs in a real sandbox",
    "upgrade": "whole daemons on databases of earlier releases, and kills",
    "observability/real": "a real Prometheus, Collector, Kafka and Alertmanager",
    "results/test_every_format.py": "the files of every tool",
    "results/test_kill.py": "processes and kills",
    "store/backup": "random damage of whole backups",
    "store/engine/test_compact_files.py": "compaction in processes that are killed",
    "store/aggregates/test_settled_days.py": "random changes, compared with the rows of days",
    "store/engine/test_concurrent_compaction.py": "compaction under concurrent writes",
    "store/lake/imports": "whole imports and kills",
    "store/lake/test_lake_commands.py": "whole imports",
    "store/lake/test_lake_kafka.py": "a real broker",
    "store/lake/test_lake_kills.py": "processes and kills",
    "store/lake/test_lake_replay_workers.py": "processes with one lake, kills and freezes",
    "store/lake/test_lake_ray.py": "a real Ray cluster, kills and lost nodes",
    "store/lake/test_lake_leaders.py": "daemon processes that are killed and frozen",
    "store/lake/test_lake_lease_kills.py": "processes that are killed and frozen",
    "store/lake/test_lake_maintenance.py": "processes and kills",
    "store/lake/test_lake_objects.py": "a real object store",
    "store/lake/test_lake_objects_maintenance.py": "a real object store",
    "store/lake/test_lake_objects_daemon.py": "daemon processes on an object store that fails",
    "store/lake/test_lake_workers.py": "daemon processes that are killed and frozen",
    "store/lake/test_lake_written.py": "waits for PostgreSQL's statistics",
    "store/traffic/test_append_once.py": "long random histories of one table",
    "store/traffic/test_call_revisions.py": "random changes and kills of one table",
    "store/traffic/test_feedback_facts.py": "random changes and kills of one table",
}


def is_component(path: PurePosixPath) -> bool:
    """Return whether the tests of a file are component tests; the path is relative to tests/."""
    return any(str(each) in COMPONENTS for each in (path, *path.parents))


NIGHTLY: Final[dict[str, tuple[str, ...]]] = {
    "alerting/notify/real/test_alertmanager.py": ("a_restart_continues", "without_repetitions", "watchdog"),
    "app/test_attribution.py": ("changed_at_once", "no_longer_offered", "old_model_is_asked"),
    "app/test_clock_steps.py": (),
    "app/test_corrections_to_cases.py": ("[gsm8k]",),
    "app/test_disk_reserve.py": ("lose_nothing", "reading_a_file_waits"),
    "app/test_first_look.py": (),
    "app/test_limited_senders.py": ("[OTLP/HTTP-a user", "[OTLP/gRPC-an API", "[an API token]"),
    "app/test_metrics.py": ("lose_their_derivation",),
    "app/test_nights_and_changes.py": ("endpoint_that_is_down", "endpoint_comes_back", "webhook_that_is_down"),
    "app/test_pinned_run.py": ("what_was_accepted",),
    "app/test_production.py": ("users_who_correct_more",),
    "app/test_repeat_share.py": ("asks_a_share",),
    "app/test_secrets_of_targets.py": ("[after a prefix]", "[as a name]", "[in part]"),
    "app/test_set_health.py": ("two_real_versions",),
    "app/test_slow_receivers.py": (),
    "app/test_split_runs.py": ("too_small_to_judge",),
    "app/test_telemetry.py": ("pointed_at_itself",),
    "app/test_the_real_change.py": ("pass_rates",),
    "bench/test_corrections.py": ("judging_takes",),
    "bench/test_dashboard_measuring.py": (),
    "bench/test_growth_measuring.py": (),
    "bench/test_ingest_measuring.py": (),
    "bench/test_rival_process.py": (),
    "bench/test_selection.py": ("[1.0-", "[2.0-", "[4.0-"),
    "bench/test_sizing_measuring.py": (),
    "bench/test_speed_measuring.py": (),
    "cli/changes/test_ci_gate.py": ("[gitlab]",),
    "cli/dashboard/test_listener.py": ("idle_connections",),
    "cli/findings/test_commands.py": ("pinned_listed",),
    "cli/review/test_in_a_terminal.py": ("narrow_terminal", "[terminate", "[end of input", "no_color"),
    "cli/test_connections.py": ("never_completes",),
    "cli/test_db_backup.py": ("under_live_ingest", "killed_during_a_backup"),
    "cli/test_documented_commands.py": (),
    "cli/test_losses.py": ("log_was_cut",),
    "cli/test_results_daemon.py": ("a_kill_in_the_middle", "of_the_same_name"),
    "clients/matrix/test_matrix.py": ("[langfuse", "[openinference-", "[otel-genai-anthropic", "[openai-v2"),
    "clients/test_real_clients.py": ("phoenix_annotates", "mlflow_reads"),
    "dashboards/test_every_page.py": (),
    "dashboards/test_in_a_browser.py": (
        *("[cases]", "[compare]", "[deployment]", "[judges]"),
        *("[metrics]", "[schedules]", "[sets]", "[system]"),
    ),
    "dashboards/test_login_in_a_browser.py": ("login_has_ended",),
    "dashboards/test_review_in_a_browser.py": ("slower_reviewer", "links_to_waiting", "without_the_role"),
    "demo/test_staying.py": (),
    "drift/detect/test_pinned_run.py": (),
    "examples/test_physical_puzzles.py": (),
    "examples/test_targets.py": ("commands_of_the_page",),
    "fuzz/api": (),
    "fuzz/test_hostile.py": ("any_value_in_a_native",),
    "helm/real": (),
    "ingest/feedback_shapes/test_linear_time.py": ("texts_in_attributes", "nested_values", "nested_wide_and_long"),
    "ingest/http/test_transports.py": ("[protobuf", "[json, gzip]", "[grpc, "),
    "ingest/kafka/test_kills.py": ("unavailable_broker", "stopped_source"),
    "ingest/kafka/test_speed.py": (),
    "ingest/kafka/test_two_readers.py": ("one_reads_and_the_other", "after_a_kill_another"),
    "ingest/normalize/test_feedback_conformance.py": ("feedback_sent_twice",),
    "ingest/test_conformance.py": ("request_sent_twice", "before_their_spans"),
    "install/test_commands.py": ("make_", "serves_the_dashboard", "another_tool", "tokens_are_created"),
    "install/test_wheel.py": ("installed_code", "every_module", "reports_its_version", "empty_folder", "missing_extra"),
    "jobs/alerting/test_alert_machine.py": (),
    "jobs/alerting/test_replay_checks.py": (
        *("blackout", "half_has_no_score", "first_night_can", "paused", "caught_up", "within_the_grace"),
        *("no_longer_configured", "level_that_is_off", "a_target_that_is_down", "stays_empty", "run_by_hand"),
    ),
    "jobs/linking/test_duplicates.py": ("random_traces",),
    "jobs/verdict/test_pinned_run.py": ("a_restart_changes_nothing", "step_by_step", "without_a_pin"),
    "jobs/verdict/test_production_loop.py": ("a_restart_in_the_middle", "quiet_months"),
    "jobs/verdict/test_root_cause.py": ("asked_once_for_an_alert",),
    "jobs/verdict/test_set_parts.py": ("[corrected]", "an_improvement", "no_improvement"),
    "jobs/verdict/test_severity_gate.py": ("keeps_its_baseline",),
    "jobs/verdict/test_verdict_loop.py": ("before_every_night", "policy_can_accept"),
    "jobs/verdict/test_watched.py": (
        *("third_of_the_cases", "without_any_verdict", "decides_now", "added_later", "judged_once", "dynamic_set"),
        *("first_look", "without_validation", "reference_of_every"),
    ),
    "kills/test_budget_kills.py": (),
    "kills/test_kills.py": (
        *("in_a_compaction", "all_gsm8k_problems", "every_firing", "within_a_tenth", "asks_again_only"),
    ),
    "kills/test_stop_signal.py": ("in_the_middle_of_everything", "hanging_target_is_given_up", "second_signal"),
    "kubernetes": (),
    "observability/real/test_compose.py": ("flows_from_the_collector", "loader_of_compose"),
    "observability/real/test_dashboard_queries.py": (),
    "observability/real/test_grafana_types.py": (),
    "schedules/test_matrix.py": ("[Africa/", "[America/", "[Antarctica/", "[Asia/", "[Pacific/Apia]"),
    "soak": (),
    "upgrade/test_interrupted.py": ("[every migration]",),
    "upgrade/test_upgrade.py": ("[0020]", "[0031]", "[0046]", "answers_every_list"),
    "store/backup/spark": (),
    "store/aggregates/test_settled_days.py": ("never_depends_on_what_is_settled",),
    "store/engine/test_compact_files.py": ("killed_at_any_line",),
    "store/engine/test_concurrent_compaction.py": ("what_the_old_one_would",),
    "store/lake/imports/test_lake_import_answers.py": (),
    "store/lake/imports/test_lake_import_kills.py": (),
    "store/lake/test_lake_lease_kills.py": ("over_30_kills",),
    "store/lake/test_lake_ray.py": (),
    "store/traffic/test_append_once.py": ("any_order_of_steps",),
    "store/traffic/test_call_revisions.py": ("in_any_order", "killed_at_any_line"),
    "store/traffic/test_feedback_facts.py": ("in_any_order", "killed_at_any_line"),
}
"""Folders and files under tests/ with words of the names of their nightly tests; without words all are nightly."""


def is_nightly(path: PurePosixPath, name: str) -> bool:
    """Return whether only the nightly run has the test. `path` is relative to tests/."""
    words = _nightly_words(path)
    return words is not None and (not words or any(word in name for word in words))


def can_match(path: PurePosixPath, expression: str) -> bool:
    """Return whether a test of a file can match the expression of `-m`. `path` is relative to tests/.

    pytest does not import the other files: the import of every file takes a minute of processor time.

    >>> can_match(PurePosixPath("cli/test_check.py"), "component and not nightly")
    False
    """
    if not expression or set(re.findall(r"\w+", expression)) - {"and", "or", "not", "component", "nightly"}:
        return True  # only the imported file knows its other markers
    known = Expression.compile(expression)
    words = _nightly_words(path)
    sometimes = (words is None or len(words) > 0, words is not None)  # without the marker, and with it
    return any(
        known.evaluate(lambda name, /, nightly=nightly, **_: nightly if name == "nightly" else is_component(path))
        for nightly, possible in zip((False, True), sometimes, strict=True)
        if possible
    )


def _nightly_words(path: PurePosixPath) -> tuple[str, ...] | None:
    return next((NIGHTLY[str(each)] for each in (path, *path.parents) if str(each) in NIGHTLY), None)
