from dataclasses import fields
from datetime import timedelta

import pytest

from dashboards.set_status import SetStatus, State, blamed_change, production_alerts, set_statuses, worst
from dashboards.snapshot import Snapshot

from .fake_daemon import FakeDaemon, nights, no_runs, outage, regression
from .items import BOT, FIRST_NIGHT, OLD, alert, change, finding, run
from .production import production_alert


def snapshot(daemon: FakeDaemon) -> Snapshot:
    named = {field.name for field in fields(Snapshot)}
    lists = {name: items for name, items in daemon.lists().items() if name in named}
    lists["deployments"] = daemon.lists()["deployment-names"]
    return Snapshot(now=daemon.now, **lists)  # type: ignore[arg-type]


def statuses(daemon: FakeDaemon) -> list[SetStatus]:
    return set_statuses(snapshot(daemon), snapshot(daemon).deployments[0])


def test_frozen_sets_are_listed_first() -> None:
    assert [(row.set_name, row.kind) for row in statuses(nights(2))] == [
        ("primes", "frozen"),
        ("corrections", "dynamic"),
    ]


def test_an_open_alert_is_a_regression() -> None:
    assert [row.state for row in statuses(regression())] == [State.REGRESSION, State.REGRESSION]


def test_an_alert_that_does_not_fire_yet_is_pending() -> None:
    daemon = regression()
    daemon.alerts = [row.model_copy(update={"state": "pending"}) for row in daemon.alerts]
    assert {row.state for row in statuses(daemon)} == {State.PENDING}


def test_a_resolved_alert_does_not_change_the_state() -> None:
    daemon = nights(3)
    daemon.alerts = [alert(daemon.findings[0], "was worse", state="resolved", resolved_at=daemon.now)]
    assert {row.state for row in statuses(daemon)} == {State.OK}


def test_an_alert_about_a_watched_metric_is_not_the_state_of_its_set() -> None:
    daemon = nights(3)
    low = daemon.findings[0].model_copy(update={"id": "f", "metric": "length", "verdict": "regression"})
    daemon.findings.insert(0, low)
    daemon.alerts = [alert(low, "metric length fell", metric="length", severity="warning")]
    assert {row.state for row in statuses(daemon)} == {State.OK}


def test_an_open_alert_persists_over_a_night_without_a_verdict() -> None:
    daemon = regression()
    late = run("primes", daemon.now, {"prime": (0, 10)})
    daemon.findings.insert(0, finding(late, "insufficient", "too few", None))
    assert statuses(daemon)[0].state is State.REGRESSION


def test_an_outage_is_insufficient() -> None:
    assert statuses(outage())[0].state is State.INSUFFICIENT


def test_a_set_without_runs_is_no_data_and_has_no_kind_without_cases() -> None:
    rows = statuses(no_runs())
    assert [(row.set_name, row.kind, row.state) for row in rows] == [
        ("primes", "frozen", State.NO_DATA),
        ("corrections", "unknown", State.NO_DATA),
    ]
    assert rows[0].last_complete is None


def test_an_unconfigured_set_is_shown_while_it_has_runs() -> None:
    daemon = nights(2)
    daemon.deployments[0].sets.clear()
    daemon.sets = []
    assert [(row.set_name, row.kind) for row in statuses(daemon)] == [("primes", "frozen"), ("corrections", "dynamic")]


def test_the_last_complete_run_is_not_the_running_one() -> None:
    daemon = nights(2)
    daemon.runs.insert(0, run("primes", daemon.now, {}, None, state="running"))
    assert statuses(daemon)[0].last_complete == daemon.runs[2]


@pytest.mark.parametrize("state", list(State))
def test_the_worst_state_is_shown(state: State) -> None:
    order = list(State)
    rows = [_Fixed(each) for each in order[order.index(state) :]]
    assert worst(reversed(rows)) is state  # type: ignore[arg-type]


def test_no_set_at_all_is_no_data() -> None:
    assert worst([]) is State.NO_DATA


def test_the_blamed_change_has_the_versions_of_the_alert_and_precedes_it() -> None:
    daemon = regression()
    opened = daemon.alerts[0]
    true = daemon.changes[0]
    later = change("late", opened.pending_since + timedelta(hours=1), true.from_version, true.to_version)
    older = change("older", FIRST_NIGHT - timedelta(days=9), true.from_version, true.to_version)
    other = change("other", true.at, "x", OLD)
    assert blamed_change(opened, [later, other, true, older]) == true
    assert blamed_change(opened, [later, other]) is None


def test_statuses_belong_to_their_deployment() -> None:
    daemon = regression()
    unknown = snapshot(daemon).deployments[0].model_copy(update={"name": "another-bot"})
    assert {row.state for row in set_statuses(snapshot(daemon), unknown)} == {State.NO_DATA}
    assert {row.deployment for row in statuses(daemon)} == {BOT}


class _Fixed:
    def __init__(self, state: State) -> None:
        self.state = state


def test_the_open_alerts_on_production_are_those_of_the_deployment_with_regressions_first() -> None:
    daemon = nights(3)
    name = daemon.deployments[0].name
    daemon.alerts.append(production_alert("traffic", "it drifted", severity="info"))
    daemon.alerts.append(production_alert("latency", "slower", state="pending"))
    daemon.alerts.append(production_alert("corrections", "more"))
    assert [row.series for row in production_alerts(snapshot(daemon), name)] == ["latency", "corrections", "traffic"]
    assert production_alerts(snapshot(daemon), "another") == []
