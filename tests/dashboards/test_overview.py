from datetime import timedelta

import pytest

from monitor.api.schema import AcceptanceItem

from .conftest import Look, everything
from .items import BOT, alert, comparison, finding, notification, run
from .world import World, many, nights, no_runs, outage, regression


def test_a_regression_is_answered_first_with_since_when_and_after_which_change(look: Look) -> None:
    page = look(regression())
    first = str(page.error[0].value)
    assert first.startswith("**support-bot · primes** is regressing since 2026-03-06 14:14 (19 hours ago)")
    assert "after the model change **gpt-4-0314 · prompt 3f2a9c → gpt-4-0613 · prompt 3f2a9c**, observed" in first
    assert "381 cases flipped to fail, 113 to pass" in first
    assert "Notified: oncall-webhook." in first
    assert len(page.error) == 2
    assert not page.success


def test_a_set_shows_its_rate_against_the_baseline_with_interval_flips_and_smallest_effect(look: Look) -> None:
    page = look(regression())
    frozen, dynamic = page.metric
    assert (frozen.value, frozen.delta) == ("50.2 %", "-33.5 points")
    assert (dynamic.value, dynamic.delta) == ("65.0 %", "+25.0 points")
    text = everything(page)
    assert "95 % interval of the change **−38.3 to −28.7 points**, 800 paired cases" in text
    assert "**381** flipped to fail, **113** to pass" in text
    assert "Smallest detectable effect: 5.3 points (from nights without a change)" in text
    assert r"**−95.2** prime: 97.8 % → 2.5 %" in text


def test_flipped_cases_are_listed_by_id_the_worst_first(look: Look) -> None:
    page = look(regression())
    assert page.expander[0].label == "381 cases passed before and fail now"
    worst, all_of_them = (page.expander[0].dataframe[i].value for i in (0, 1))
    assert list(worst["case"]) == ["prime-0", "prime-7", "prime-14", "prime-21", "prime-28"]
    assert list(worst.columns) == ["case", "category", "severity", "runs passed before", "failure category"]
    assert len(all_of_them) == 381


def test_a_comparison_leads_to_its_answers_and_names_nothing_but_ids(look: Look) -> None:
    world = regression()
    links = [link.proto for link in look(world).page_link]
    finding = next(row for row in world.findings if row.set_name == "primes")
    assert [link.page for link in links] == ["compare", "compare"]
    assert links[0].query_string == f"baseline={finding.baseline_run}&candidate={finding.candidate_run}"
    assert not look(no_runs()).page_link


def test_runs_changes_and_alerts_are_in_tables(look: Look) -> None:
    page = look(regression())
    runs, changes, alerts = (tab.dataframe[0].value for tab in page.tabs)
    assert list(runs["set"])[:2] == ["corrections", "primes"]
    assert (runs["pass rate"][1], runs["95 % interval"][1]) == ("50.2 %", "46.8 % to 53.7 %")
    assert list(runs["verdict"])[:3] == ["regression", "regression", "ok"]
    assert list(changes["change"]) == ["gpt-4-0314 · prompt 3f2a9c → gpt-4-0613 · prompt 3f2a9c"]
    assert list(alerts["state"]) == ["firing", "firing"]


def test_a_quiet_week_says_so_and_when_it_last_looked(look: Look) -> None:
    page = look(nights(5))
    assert str(page.success[0].value) == "**No regression.** Last comparison 7 hours ago, 2026-03-06 02:11."
    assert not page.error
    assert not page.warning


def test_no_run_yet_is_no_data_and_neither_quiet_nor_zero(look: Look) -> None:
    page = look(no_runs())
    assert str(page.info[0].value).startswith("**No data yet.**")
    assert [metric.value for metric in page.metric] == ["no data", "no data"]
    assert not page.success
    assert not page.error
    assert "0.0 %" not in everything(page)
    assert "The set holds no cases yet" in everything(page)


def test_an_empty_daemon_says_what_to_configure(look: Look) -> None:
    page = look(World())
    assert "name one under `deployments`" in everything(page)
    assert not page.success


def test_an_outage_is_named_and_is_no_regression(look: Look) -> None:
    page = look(outage())
    assert "**support-bot · primes** could not be judged: only 480 of 800 cases" in str(page.warning[0].value)
    assert str(page.info[0].value).startswith("**No alert is open**, but some sets have no verdict.")
    assert not page.error
    assert not page.success


def test_a_cancelled_replay_is_shown_as_such_and_is_no_point_of_the_chart(look: Look) -> None:
    world = no_runs()
    scored = {"prime": (1, 4)}
    cancelled = run("primes", world.now, scored, None, state="cancelled", error="cancelled by anna: too dear")
    world.runs = [cancelled]
    shown = everything(look(world))
    assert r"the last one was cancelled by anna\: too dear" in shown
    assert "No scored run in this period" in shown


def test_a_failed_replay_is_named(look: Look) -> None:
    world = no_runs()
    failed = run("primes", world.now - timedelta(hours=1), {}, None, state="failed", error="target: timed out")
    world.runs, world.findings = [failed], [finding(failed, "failed", "the run failed: target: timed out", None)]
    page = look(world)
    assert "could not be replayed" in str(page.warning[0].value)
    assert r"the last one failed: target\: timed out" in everything(page)


def test_a_pending_alert_is_a_warning(look: Look) -> None:
    world = regression()
    world.alerts = [row.model_copy(update={"state": "pending", "fired_at": None}) for row in world.alerts]
    page = look(world)
    assert "is worse, not yet paged, since 2026-03-06 14:14" in str(page.warning[0].value)
    assert not page.error


def test_a_notification_that_could_not_be_delivered_is_shouted(look: Look) -> None:
    world = regression()
    world.notifications = [notification(row, status="queued", error="gone", at=None) for row in world.alerts]
    assert "**Not delivered yet: oncall-webhook; driftd keeps trying.**" in str(look(world).error[0].value)


def test_a_regression_without_a_known_change_says_so(look: Look) -> None:
    world = nights(3)
    silent = finding(world.runs[1], "regression", "fell", comparison(0.9, 0.8, n=800, to_fail=90, to_pass=10))
    same = {"from_version": silent.to_version, "to_version": silent.to_version, "to_version_label": "gpt-4-0314"}
    world.findings.insert(0, silent)
    world.alerts = [alert(silent, "fell", **same)]
    assert "without a known change of **gpt-4-0314**" in str(look(world).error[0].value)


def test_the_link_of_a_notification_shows_an_alert_that_is_over(look: Look) -> None:
    world = nights(3)
    over = alert(world.findings[0], "it fell", state="resolved", resolved_at=world.now)
    world.alerts = [over]
    page = look(world, query={"alert": over.id})
    assert "is well again; it had been worse since" in str(page.info[0].value)
    assert page.success


def test_a_link_to_an_unknown_alert_is_answered(look: Look) -> None:
    page = look(nights(3), query={"alert": "alert-0"})
    assert r"404\: alert-0 is unknown" in str(page.warning[0].value)


def test_nobody_answering_is_said_and_nothing_else_is_claimed(look: Look) -> None:
    page = look("http://127.0.0.1:1")
    assert "The daemon cannot be reached" in str(page.error[0].value)
    assert "driftd serve" in str(page.error[0].value)
    assert not page.success
    assert not page.metric
    assert "neither that something regressed, nor that nothing did" in everything(page)


def test_many_runs_are_drawn_and_the_table_is_bounded(look: Look) -> None:
    page = look(many())
    page.segmented_control[0].set_value("a year").run()
    assert not page.exception
    assert len(page.tabs[0].dataframe[0].value) == 50
    assert "The newest 50 of 120 runs in this period." in everything(page)


def test_names_from_outside_do_not_become_markup(look: Look) -> None:
    world = regression()
    world.alerts[0] = world.alerts[0].model_copy(update={"summary": ":red[*boo*] <img>"})
    assert any(r"\:red\[\*boo\*\] \<img\>" in str(row.value) for row in look(world).error)


@pytest.mark.parametrize("count", [2, 3])
def test_every_deployment_has_its_part(look: Look, count: int) -> None:
    world = nights(2)
    world.deployments += [
        world.deployments[0].model_copy(update={"name": f"bot-{number}"}) for number in range(count - 1)
    ]
    page = look(world)
    assert len(page.header) == count
    assert str(page.header[0].value).startswith(BOT)
    assert "Nothing is known yet of" in str(page.success[0].value)


def test_an_accepted_regression_is_not_said_to_be_well_again(look: Look) -> None:
    world = regression()
    seen = AcceptanceItem(by="ana", reason="cheaper model, agreed with support", at=world.now)
    resolved = {"state": "resolved", "resolved_at": world.now, "acceptance": seen}
    world.alerts = [row.model_copy(update=resolved) for row in world.alerts]
    page = look(world, query={"alert": world.alerts[0].id})
    text = everything(page)
    assert "is well again" not in text
    assert "was accepted as the new normal and is not back to what it was" in text
    assert "Accepted by **ana**" in text
    assert "cheaper model, agreed with support" in text
    table = page.tabs[2].dataframe[0].value
    assert (table["state"].iloc[0], table["accepted by"].iloc[0]) == ("accepted", "ana")


def test_an_announcement_that_traffic_contradicts_is_said(look: Look) -> None:
    world = nights(3)
    said = "gpt-5 was announced but has answered none of 240 production calls; gpt-4 answers"
    world.deployments = [row.model_copy(update={"contradiction": said}) for row in world.deployments]
    page = look(world)
    assert any("Announced and observed disagree: gpt-5 was announced" in str(row.value) for row in page.warning)
    assert "current version, observed" in everything(page)


def test_replays_that_do_not_happen_are_a_warning_and_not_a_quiet_night(look: Look) -> None:
    world = nights(3)
    summary = "replays of primes on support did not happen since 2026-03-03 02:00 UTC (schedule nightly)"
    about = {"set_name": None, "source": "replays of primes on support", "severity": "warning"}
    world.alerts = [alert(world.findings[0], summary, **about)]
    page = look(world)
    shown = [str(row.value) for row in page.warning]
    [warning] = shown
    assert "replays of primes on support** needs attention since" in warning
    assert "did not happen since" in warning
    assert not page.error
    assert not page.success
