from pathlib import Path

import pytest
from pydantic import BaseModel

from monitor.api.schema import AlertMessageItem, ListPage
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.items import alert, change, eval_set, finding, notification, status


@pytest.mark.parametrize(
    ("arguments", "path", "item", "seen"),
    [
        (("changes", "list"), "/api/v1/changes", change(), "aaa   bbb"),
        (("drift", "list"), "/api/v1/findings", finding(), "regression  -33.8   the pass rate fell"),
        (("alerts", "list"), "/api/v1/alerts", alert(), "2026-11-21 02:00:00Z  -         support got worse"),
        (("sets", "list"), "/api/v1/sets", eval_set(), "primes  frozen  abababababab  2026-11-21 02:00:00Z"),
    ],
)
def test_a_list_prints_its_items(
    daemon: Daemon, run: Run, arguments: tuple[str, ...], path: str, item: BaseModel, seen: str
) -> None:
    daemon.respond(f"GET {path}", ListPage(items=[item], next_cursor=None))
    assert seen in run(*arguments, "--url", daemon.url).out
    assert len(run(*arguments, "--url", daemon.url, "--json").document["items"]) == 1
    daemon.respond(f"GET {path}", ListPage(items=[], next_cursor=None))
    assert run(*arguments, "--url", daemon.url).out.startswith("no ")


def test_a_finding_is_shown_with_its_evidence(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/findings/finding-1", finding())
    result = run("drift", "show", "finding-1", "--url", daemon.url)
    assert result.code == 0
    for part in ("regression (critical)", "run-1 to run-2", "change-1", "477 to fail"):
        assert part in result.out


def test_a_finding_without_a_comparison_is_shown_too(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/findings/f", finding(comparison=None, verdict="insufficient", baseline_run=None))
    assert "no baseline to run-2" in run("drift", "show", "f", "--url", daemon.url).out


def test_an_alert_is_shown_with_its_notifications(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/alerts/alert-1", alert())
    daemon.respond("GET /api/v1/alerts/alert-1/events", ListPage(items=[], next_cursor=None))
    sent = AlertMessageItem(alert_id="alert-1", title="FIRING", summary="FIRING", text="FIRING\n  flips     3 and 1")
    daemon.respond("GET /api/v1/alerts/alert-1/message", sent)
    told = [notification(), notification(group_id="another", receiver="pager")]
    daemon.respond("GET /api/v1/notifications", ListPage(items=told, next_cursor=None))
    out = run("alerts", "show", "alert-1", "--url", daemon.url).out
    assert "gpt-4-0613" in out
    assert "\nFIRING\n  flips     3 and 1\n" in out
    assert "hook" in out
    assert "pager" not in out


def test_the_database_reports_its_size_and_loops(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/status", status())
    out = run("db", "info", "--url", daemon.url).out
    assert "3.0 MiB" in out
    assert "loop writer   running" in out


def test_a_change_is_announced_with_what_is_new(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("Be brief.")
    daemon.respond("POST /api/v1/changes", change(), status=201)
    result = run(
        *("changes", "announce", "support", "--model", "gpt-4-0613", "--prompt-file", tmp_path / "prompt.md"),
        *("--at", "2026-11-21T02:00:00+0100", "--note", "canary over", "--url", daemon.url),
    )
    assert (result.code, result.out) == (0, "change-1: model change of support, aaa to bbb\n")
    sent = daemon.writes[0].body
    assert (sent["model"], sent["prompt_text"], sent["note"], sent["at"]) == (
        "gpt-4-0613",
        "Be brief.",
        "canary over",
        "2026-11-21T02:00:00+01:00",
    )
    assert (sent["prompt_id"], sent["prompt_version"]) == (None, None)


def test_a_prompt_file_that_is_missing_is_named(daemon: Daemon, run: Run) -> None:
    result = run("changes", "announce", "support", "--prompt-file", "gone.md", "--url", daemon.url)
    assert (result.code, result.err) == (2, "--prompt-file gone.md cannot be read: No such file or directory\n")
    assert daemon.writes == []


def test_the_list_of_alerts_ends_with_what_needs_a_person(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/alerts", ListPage(items=[alert()], next_cursor=None))
    warning = "receiver pager: 3 notifications are not delivered, the oldest from 2026-11-21 02:00 UTC: away"
    daemon.respond("GET /api/v1/status", status().model_copy(update={"warnings": [warning]}))
    assert run("alerts", "list", "--url", daemon.url).out.splitlines()[-1] == f"warning: {warning}"
