from datetime import timedelta

import pytest

from dashboards.snapshot import Snapshot
from dashboards.standing import SetStanding, State, blamed_change, production_alerts, stand, state_of, worst

from .items import BOT, FIRST_NIGHT, OLD, alert, change, finding, run
from .production import production_alert
from .world import World, nights, no_runs, outage, regression


def snapshot(world: World) -> Snapshot:
    lists = {name: items for name, items in world.lists().items() if name != "production"}  # a page of its own reads it
    return Snapshot(now=world.now, status=world.status(), **lists)  # type: ignore[arg-type]


def standings(world: World) -> list[SetStanding]:
    return stand(snapshot(world), world.deployments[0])


def test_sets_stand_side_by_side_frozen_first() -> None:
    assert [(row.set_name, row.kind) for row in standings(nights(2))] == [
        ("primes", "frozen"),
        ("corrections", "dynamic"),
    ]


def test_an_open_alert_is_a_regression() -> None:
    assert [row.state for row in standings(regression())] == [State.REGRESSION, State.REGRESSION]


def test_an_alert_that_does_not_fire_yet_is_pending() -> None:
    world = regression()
    world.alerts = [row.model_copy(update={"state": "pending"}) for row in world.alerts]
    assert {row.state for row in standings(world)} == {State.PENDING}


def test_a_resolved_alert_is_no_state() -> None:
    world = nights(3)
    world.alerts = [alert(world.findings[0], "was worse", state="resolved", resolved_at=world.now)]
    assert {row.state for row in standings(world)} == {State.OK}


def test_an_open_alert_outlives_a_night_that_could_not_be_judged() -> None:
    world = regression()
    late = run("primes", world.now, {"prime": (0, 10)})
    world.findings.insert(0, finding(late, "insufficient", "too few", None))
    assert standings(world)[0].state is State.REGRESSION


def test_an_outage_is_insufficient() -> None:
    assert standings(outage())[0].state is State.INSUFFICIENT


def test_what_was_never_run_is_no_data_and_its_kind_unknown_until_it_holds_cases() -> None:
    rows = standings(no_runs())
    assert [(row.set_name, row.kind, row.state) for row in rows] == [
        ("primes", "frozen", State.NO_DATA),
        ("corrections", "unknown", State.NO_DATA),
    ]
    assert rows[0].last_complete is None


def test_a_set_that_is_no_longer_configured_is_shown_while_its_runs_are() -> None:
    world = nights(2)
    world.deployments[0].sets.clear()
    world.sets = []
    assert [(row.set_name, row.kind) for row in standings(world)] == [("primes", "frozen"), ("corrections", "dynamic")]


def test_the_last_complete_run_is_not_the_one_under_way() -> None:
    world = nights(2)
    world.runs.insert(0, run("primes", world.now, {}, None, state="running"))
    assert standings(world)[0].last_complete == world.runs[2]


@pytest.mark.parametrize("state", list(State))
def test_the_worst_state_is_what_a_glance_shows(state: State) -> None:
    order = list(State)
    rows = [_Fixed(each) for each in order[order.index(state) :]]
    assert worst(reversed(rows)) is state  # type: ignore[arg-type]


def test_no_set_at_all_is_no_data() -> None:
    assert worst([]) is State.NO_DATA


def test_the_blamed_change_joins_the_alerts_versions_and_came_before_it() -> None:
    world = regression()
    opened = world.alerts[0]
    true = world.changes[0]
    later = change("late", opened.pending_since + timedelta(hours=1), true.from_version, true.to_version)
    older = change("older", FIRST_NIGHT - timedelta(days=9), true.from_version, true.to_version)
    other = change("other", true.at, "x", OLD)
    assert blamed_change(opened, [later, other, true, older]) == true
    assert blamed_change(opened, [later, other]) is None


def test_standings_speak_of_their_own_deployment() -> None:
    world = regression()
    stranger = world.deployments[0].model_copy(update={"name": "another-bot"})
    assert {row.state for row in stand(snapshot(world), stranger)} == {State.NO_DATA}
    assert {row.deployment for row in standings(world)} == {BOT}


class _Fixed:
    def __init__(self, state: State) -> None:
        self.state = state


def test_a_deployment_is_as_bad_as_its_production_and_a_drift_of_traffic_is_no_regression() -> None:
    world = nights(3)
    name = world.deployments[0].name
    assert state_of(snapshot(world), name, standings(world)) is State.OK
    world.alerts.append(production_alert("traffic", "it drifted", severity="info"))
    assert state_of(snapshot(world), name, standings(world)) is State.OK
    world.alerts.append(production_alert("latency", "slower", state="pending"))
    assert state_of(snapshot(world), name, standings(world)) is State.PENDING
    world.alerts.append(production_alert("corrections", "more"))
    assert state_of(snapshot(world), name, standings(world)) is State.REGRESSION
    assert [row.series for row in production_alerts(snapshot(world), name)] == ["latency", "corrections", "traffic"]
    assert production_alerts(snapshot(world), "another") == []
