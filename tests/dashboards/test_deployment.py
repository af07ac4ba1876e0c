from datetime import timedelta

import pytest
from streamlit.proto.Metric_pb2 import Metric as MetricProto
from streamlit.testing.v1 import AppTest

from monitor.api.schema import AcceptanceItem, FirstLookItem

from .conftest import OpenPage, everything
from .fake_daemon import FakeDaemon, many, nights, no_runs, outage, regression
from .items import BOT, NEW, alert, comparison, finding, notification, run
from .overview_items import replaying


@pytest.fixture
def open_deployment(open_page: OpenPage) -> OpenPage:
    """Return a function that opens the page of the deployment of the fake daemon."""

    def opened(daemon: FakeDaemon | str, query: dict[str, str] | None = None) -> AppTest:
        return open_page(daemon, "deployment", query=query or {"deployment": BOT})

    return opened


def test_a_regression_is_first_with_its_start_and_its_change(open_deployment: OpenPage) -> None:
    page = open_deployment(regression())
    first = str(page.error[0].value)
    assert first.startswith("**support-bot · primes** is regressing since 2026-03-06 14:14 (19 hours ago)")
    assert "after the model change **gpt-4-0314 · prompt 3f2a9c → gpt-4-0613 · prompt 3f2a9c**, observed" in first
    assert "pass rate" in first
    assert "381 cases flipped to fail" not in first  # the card of the set and the page of the alert have it
    assert "Notified: oncall-webhook." in first
    assert len(page.error) == 2
    assert not page.success


def test_an_alert_of_a_notified_group_counts_as_notified(open_deployment: OpenPage) -> None:
    daemon = regression()
    daemon.alerts = [row.model_copy(update={"group_id": "alert-primes"}) for row in daemon.alerts]
    assert {row.group_id for row in daemon.notifications} == {"alert-primes"}
    page = open_deployment(daemon)
    assert all("Notified: oncall-webhook." in str(error.value) for error in page.error)


def test_a_set_shows_its_rate_against_the_baseline_with_interval_flips_and_smallest_effect(
    open_deployment: OpenPage,
) -> None:
    page = open_deployment(regression())
    frozen, dynamic = page.metric
    assert (frozen.value, frozen.delta) == ("50.2 %", "-33.5 points")
    assert (dynamic.value, dynamic.delta) == ("65.0 %", "+25.0 points")
    text = everything(page)
    assert "95 % interval of the change **−38.3 to −28.7 points**, 800 paired cases" in text
    assert "**381** flipped to fail, **113** to pass" in text
    assert "Smallest detectable effect: 5.3 points (from nights without a change)" in text
    assert r"**−95.2** prime: 97.8 % → 2.5 %" in text


def test_flipped_cases_are_listed_by_id_the_worst_first(open_deployment: OpenPage) -> None:
    page = open_deployment(regression())
    assert page.expander[0].label == "381 cases passed before and fail now"
    worst, all_of_them = (page.expander[0].dataframe[i].value for i in (0, 1))
    assert list(worst["case"]) == ["prime-0", "prime-7", "prime-14", "prime-21", "prime-28"]
    assert list(worst.columns) == ["case", "category", "severity", "runs passed before", "failure category"]
    assert len(all_of_them) == 381


def test_a_comparison_links_to_its_answers_by_ids_only(open_deployment: OpenPage) -> None:
    daemon = regression()
    links = [link.proto for link in open_deployment(daemon).page_link if link.proto.page == "compare"]
    finding = next(row for row in daemon.findings if row.set_name == "primes")
    assert len(links) == 2
    assert links[0].query_string == f"baseline={finding.baseline_run}&candidate={finding.candidate_run}"
    assert [link.proto.page for link in open_deployment(no_runs()).page_link] == [""]


def test_runs_changes_and_alerts_are_in_tables(open_deployment: OpenPage) -> None:
    page = open_deployment(regression())
    runs, changes, alerts = (tab.dataframe[0].value for tab in page.tabs[1:])
    assert list(runs["set"])[:2] == ["corrections", "primes"]
    assert (runs["pass rate"][1], runs["95 % interval"][1]) == ("50.2 %", "46.8 % to 53.7 %")
    assert list(runs["verdict"])[:3] == ["regression", "regression", "ok"]
    assert list(changes["change"]) == ["gpt-4-0314 · prompt 3f2a9c → gpt-4-0613 · prompt 3f2a9c"]
    assert list(alerts["state"]) == ["firing", "firing"]


def test_a_week_without_alerts_shows_the_last_comparison(open_deployment: OpenPage) -> None:
    page = open_deployment(nights(5))
    assert str(page.success[0].value) == "**No regression.** Last comparison 7 hours ago, 2026-03-06 02:11."
    assert not page.error
    assert not page.warning


def test_no_run_is_no_data_and_neither_healthy_nor_zero(open_deployment: OpenPage) -> None:
    page = open_deployment(no_runs())
    assert str(page.info[0].value).startswith("**No verdict yet.**")
    assert [metric.value for metric in page.metric] == ["no data", "no data"]
    assert not page.success
    assert not page.error
    assert "0.0 %" not in everything(page)
    assert "The set has no cases yet" in everything(page)


def test_an_empty_daemon_shows_what_to_configure(open_deployment: OpenPage) -> None:
    page = open_deployment(FakeDaemon())
    assert "Add one under `deployments`" in everything(page)
    assert not page.success


def test_an_outage_is_named_and_is_no_regression(open_deployment: OpenPage) -> None:
    page = open_deployment(outage())
    assert "**support-bot · primes** has no verdict: only 480 of 800 cases" in str(page.warning[0].value)
    assert str(page.info[0].value).startswith("**No alert is open**, but some sets have no verdict.")
    assert not page.error
    assert not page.success


def test_a_cancelled_replay_is_named_and_not_in_the_chart(open_deployment: OpenPage) -> None:
    daemon = no_runs()
    scored = {"prime": (1, 4)}
    cancelled = run("primes", daemon.now, scored, None, state="cancelled", error="cancelled by anna: too dear")
    daemon.runs = [cancelled]
    shown = everything(open_deployment(daemon))
    assert r"the last one was cancelled by anna\: too dear" in shown
    assert "No scored run in this period" in shown


def test_a_failed_replay_is_named(open_deployment: OpenPage) -> None:
    daemon = no_runs()
    failed = run("primes", daemon.now - timedelta(hours=1), {}, None, state="failed", error="target: timed out")
    daemon.runs, daemon.findings = [failed], [finding(failed, "failed", "the run failed: target: timed out", None)]
    page = open_deployment(daemon)
    assert "could not be replayed" in str(page.warning[0].value)
    assert r"the last one failed: target\: timed out" in everything(page)


def test_a_pending_alert_is_a_warning(open_deployment: OpenPage) -> None:
    daemon = regression()
    daemon.alerts = [row.model_copy(update={"state": "pending", "fired_at": None}) for row in daemon.alerts]
    page = open_deployment(daemon)
    assert "is worse (alert pending) since 2026-03-06 14:14" in str(page.warning[0].value)
    assert not page.error


def test_an_undelivered_notification_is_in_bold(open_deployment: OpenPage) -> None:
    daemon = regression()
    daemon.notifications = [notification(row, status="queued", error="gone", at=None) for row in daemon.alerts]
    assert "**Not delivered yet: oncall-webhook; driftd retries.**" in str(open_deployment(daemon).error[0].value)


def test_a_regression_without_a_known_change_is_described(open_deployment: OpenPage) -> None:
    daemon = nights(3)
    silent = finding(daemon.runs[1], "regression", "fell", comparison(0.9, 0.8, n=800, to_fail=90, to_pass=10))
    same = {"from_version": silent.to_version, "to_version": silent.to_version, "to_version_label": "gpt-4-0314"}
    daemon.findings.insert(0, silent)
    daemon.alerts = [alert(silent, "fell", **same)]
    assert "without a known change of version (**gpt-4-0314**)" in str(open_deployment(daemon).error[0].value)


def test_with_an_unreachable_daemon_every_status_is_unknown(open_deployment: OpenPage) -> None:
    page = open_deployment("http://127.0.0.1:1")
    assert "The daemon cannot be reached" in str(page.error[0].value)
    assert "driftd serve" in str(page.error[0].value)
    assert not page.success
    assert not page.metric
    assert "the status of every deployment is unknown" in everything(page)


def test_many_runs_are_drawn_and_the_table_is_bounded(open_deployment: OpenPage) -> None:
    page = open_deployment(many())
    page.segmented_control[0].set_value("a year").run()
    assert not page.exception
    assert len(page.tabs[1].dataframe[0].value) == 50
    assert "Newest 50 of 120 runs in this period." in everything(page)


def test_names_from_outside_do_not_become_markup(open_deployment: OpenPage) -> None:
    daemon = regression()
    daemon.alerts[0] = daemon.alerts[0].model_copy(update={"summary": ":red[*boo*] <img>"})
    assert any(r"\:red\[\*boo\*\] \<img\>" in str(row.value) for row in open_deployment(daemon).error)


def test_only_the_deployment_of_the_address_is_shown(open_deployment: OpenPage) -> None:
    daemon = regression()
    other = daemon.deployments[0].model_copy(update={"name": "other-bot"})
    daemon.deployments = [other, *daemon.deployments]
    assert open_deployment(daemon).selectbox[0].value == BOT
    page = open_deployment(daemon, query={"deployment": "other-bot"})
    assert page.selectbox[0].value == "other-bot"
    assert not page.error
    assert "**No verdict yet.**" in str(page.info[0].value)


def test_a_link_to_an_unknown_deployment_asks_for_another_one(open_deployment: OpenPage) -> None:
    page = open_deployment(nights(3), query={"deployment": "typo"})
    assert "The deployment of this link does not exist: typo" in str(page.warning[0].value)
    assert page.selectbox[0].value is None
    page.selectbox[0].set_value(BOT).run()
    assert page.success


def test_an_accepted_regression_is_not_shown_as_recovered(open_deployment: OpenPage) -> None:
    daemon = regression()
    seen = AcceptanceItem(by="ana", reason="cheaper model, agreed with support", at=daemon.now)
    resolved = {"state": "resolved", "resolved_at": daemon.now, "acceptance": seen}
    daemon.alerts = [row.model_copy(update=resolved) for row in daemon.alerts]
    newest = {"verdict": "ok", "acceptance": seen, "reason": "accepted as the new baseline by ana"}
    daemon.findings[:2] = [row.model_copy(update=newest) for row in daemon.findings[:2]]
    page = open_deployment(daemon)
    text = everything(page)
    assert "recovered" not in text
    assert "Accepted as the new baseline by **ana**" in text
    assert "cheaper model, agreed with support" in text
    table = page.tabs[3].dataframe[0].value
    assert (table["state"].iloc[0], table["accepted by"].iloc[0]) == ("accepted", "ana")


def test_an_open_alert_has_a_link_to_its_page(open_deployment: OpenPage) -> None:
    links = [link.proto for link in open_deployment(regression()).page_link if link.proto.page == "alerts"]
    assert [link.query_string for link in links] == ["alert=alert-primes", "alert=alert-corrections"]


def test_a_change_of_zero_points_is_neither_green_nor_an_arrow(open_deployment: OpenPage) -> None:
    daemon = nights(2, dynamic=False)
    level = comparison(0.8, 0.8, n=800, to_fail=3, to_pass=3)
    daemon.findings[0] = daemon.findings[0].model_copy(update={"comparison": level})
    [metric] = open_deployment(daemon).metric[:1]
    assert metric.delta == "0.0 points"
    assert (metric.proto.color, metric.proto.direction) == (MetricProto.GRAY, MetricProto.NONE)


def test_a_verdict_of_long_ago_is_not_green(open_deployment: OpenPage) -> None:
    daemon = nights(3)
    daemon.now += timedelta(days=3)
    page = open_deployment(daemon)
    assert not page.success
    assert "No regression when last measured" in str(page.info[0].value)


def test_calls_without_a_version_yet_are_not_called_missing_data(open_deployment: OpenPage) -> None:
    daemon = nights(3)
    fresh = {"current_version": None, "interactions": 101}
    daemon.deployments = [row.model_copy(update=fresh) for row in daemon.deployments]
    assert "**not identified yet**" in everything(open_deployment(daemon))


def test_the_state_progress_and_health_of_the_deployment_are_shown(open_deployment: OpenPage) -> None:
    daemon = nights(3)
    daemon.overview = [replaying(BOT)]
    text = everything(open_deployment(daemon))
    assert "320 of 880" in text
    assert "**Judges** :material/help: not measured" in text
    assert "124 of 12,400 calls (1.0 %)" in text


def test_an_announcement_that_traffic_contradicts_is_shown(open_deployment: OpenPage) -> None:
    daemon = nights(3)
    contradiction = "gpt-5 was announced but has answered none of 240 production calls; gpt-4 answers"
    daemon.deployments = [row.model_copy(update={"contradiction": contradiction}) for row in daemon.deployments]
    page = open_deployment(daemon)
    assert any("observed version differ: gpt-5 was announced" in str(row.value) for row in page.warning)
    assert "current version, observed" in everything(page)


def test_missing_replays_are_a_warning(open_deployment: OpenPage) -> None:
    daemon = nights(3)
    summary = "replays of primes on support did not happen since 2026-03-03 02:00 UTC (schedule nightly)"
    about = {"set_name": None, "source": "replays of primes on support", "severity": "warning"}
    daemon.alerts = [alert(daemon.findings[0], summary, **about)]
    page = open_deployment(daemon)
    shown = [str(row.value) for row in page.warning]
    [warning] = shown
    assert "replays of primes on support** needs attention since" in warning
    assert "did not happen since" in warning
    assert not page.error
    assert not page.success


def looked(*, announced: bool) -> FakeDaemon:
    daemon = nights(5)
    reason = "first look at 376 of 800 cases: overall -33.5 points"
    at = daemon.now - timedelta(minutes=4)
    look = FirstLookItem(
        at=at, announced=announced, cases=376, of=800, scored=376, channel="overall", delta=-0.335, reason=reason
    )
    running = run("primes", at, {"prime": (200, 400)}, NEW, state="running", trigger="change", first_look=look)
    daemon.runs.insert(0, running)
    return daemon


def test_a_first_look_that_announces_a_regression_is_a_warning_until_the_run_is_judged(
    open_deployment: OpenPage,
) -> None:
    daemon = looked(announced=True)
    [warning] = open_deployment(daemon).warning
    assert str(warning.value).replace("\\", "") == (
        "Regression announced: first look at 376 of 800 cases: overall -33.5 points."
    )
    daemon.runs[0] = daemon.runs[0].model_copy(update={"verdict": "regression", "state": "complete"})
    assert not open_deployment(daemon).warning


def test_a_first_look_without_a_regression_is_no_warning(open_deployment: OpenPage) -> None:
    page = open_deployment(looked(announced=False))
    assert not page.warning
    assert "First look at 376 of 800 cases" in everything(page)
