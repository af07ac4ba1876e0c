"""The health of a set is read from its stored measurement, and is always what a measurement at once gives."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.api.auth import Role, Token, Tokens
from monitor.domain.health_day import HealthDay, RunDay
from monitor.jobs.maintenance.set_health_loop import SetHealthLoop
from monitor.refresh import set_health
from monitor.refresh.set_health import first_changed, missing_days
from monitor.store.aggregates import settled_runs
from monitor.store.maintenance.erase_cases import remove_cases
from monitor.store.runs import outcomes, runs
from monitor.store.sets import revisions, sealed_sets, stored_health
from monitor.store.traffic import feedback, interactions
from tests.api.house import NOW, SEALER, House, open_house
from tests.api.policies import policy
from tests.api.records import CASES
from tests.store.build import answer, complete_run, score, user
from tests.store.build import feedback as a_signal
from tests.store.build import interaction as a_call

DAY = timedelta(days=1)
SET = "private"
MANY = [{"id": f"q-{n}", "input": f"What costs article {n}?", "reference": "5", "category": "price"} for n in range(24)]


def sealed(text: str, where: str) -> bytes:
    return SEALER.seal(text.encode(), where)


@contextmanager
def opened(folder: Path, **options: Any) -> Iterator[House]:
    with open_house(folder, **options) as house:
        add_cases(house, MANY)
        yield house


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with opened(tmp_path) as found:
        yield found


def add_cases(house: House, cases: list[dict[str, Any]]) -> str:
    answered = house.post("/api/v1/sets", {"name": SET, "cases": cases, "origin": "test"})
    return str(answered.raise_for_status().json()["revision"])


def current(house: House) -> str:
    return str(house.get("/api/v1/sets").json()["items"][0]["revision"])


def add_run(house: House, id_: str, at: datetime, passing: int, *, version: str = "v1", name: str = "bot") -> None:
    """Add a complete run that passes the first cases, with stored results."""
    made = complete_run(
        id_, at, deployment=name, set_name=SET, revision=current(house), version=version, cases=len(MANY)
    )
    scored = [answer(f"q-{n}", score(float(n < passing)), started_at=at) for n in range(len(MANY))]
    with house.store.write() as tx:
        runs.insert(tx, made)
        outcomes.append(tx, id_, scored, sealed)
        settled_runs.settle(tx, 10)


def add_calls(house: House, count: int, at: datetime, text: str = "Where is parcel {}?", name: str = "bot") -> None:
    calls = [
        a_call(
            f"{name}-{text[:5]}-{n}-{at.isoformat()}",
            deployment=name,
            started_at=at,
            received_at=at,
            input_messages=(user(text.format(n)),),
            category="shipping",
        )
        for n in range(count)
    ]
    with house.store.write() as tx:
        interactions.insert(tx, calls)


def loop_of(house: House) -> SetHealthLoop:
    return SetHealthLoop(
        store=house.store,
        policy=policy(),
        clock=house.clock,
        sealer_of={SET: SEALER}.get,
        code_version="0.1.0+test",
    )


def work(house: House) -> None:
    """Let the loop measure everything that is missing."""
    loop = loop_of(house)
    for _ in range(400):
        loop.step()
        if loop.poll_s == 5.0:
            return
    raise AssertionError("the loop does not come to an end")


def health(house: House, **query: Any) -> dict[str, Any]:
    return dict(house.get("/api/v1/sets/health", set_name=SET, **query).raise_for_status().json())


def at_once(house: House, **query: Any) -> dict[str, Any]:
    """Return the health as it is measured without a stored measurement."""
    with house.store.write() as tx:
        stored_health.forget(tx, SET)
    return health(house, **query)


def days(house: House, **query: Any) -> list[dict[str, Any]]:
    found = house.get("/api/v1/sets/health/days", set_name=SET, **query).raise_for_status().json()
    return list(found["days"])


def without_time(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name != "computed_at"}


def furnish(house: House) -> None:
    for n, passing in enumerate((12, 13, 12, 14, 20, 21, 22, 20, 21)):
        add_run(house, f"run-{n}", NOW - (9 - n) * DAY, passing, version=f"v{n // 2}")
    add_calls(house, 40, NOW - 3 * DAY)
    add_calls(house, 30, NOW - 8 * DAY, text="What costs article {}?")


def add_correction(house: House) -> None:
    call = f"bot-Where-0-{(NOW - 3 * DAY).isoformat()}"
    signal = a_signal("f-1", deployment="bot", is_correction=True, at=NOW, linked_interaction_id=call)
    with house.store.write() as tx:
        feedback.insert(tx, [signal])


CHANGES: dict[str, Callable[[House], object]] = {
    "nothing": lambda _: None,
    "a correction": add_correction,
    "a run": lambda house: add_run(house, "new", NOW, 3, version="v9"),
    "a run of another deployment": lambda house: add_run(house, "other", NOW, 3, name="other-bot"),
    "calls": lambda house: add_calls(house, 5, NOW),
    "cases": lambda house: add_cases(house, [*MANY, *(dict(case) for case in CASES)]),
}


def test_the_stored_health_is_never_another_than_the_measured_one(house: House) -> None:
    furnish(house)
    for change, apply in CHANGES.items():
        work(house)
        house.clock.instant += timedelta(minutes=1)
        stored, other = health(house), health(house, deployment="bot")
        assert stored["computed_at"] < house.clock.instant.isoformat()
        apply(house)
        after, five_days = health(house), health(house, days=5)
        assert (without_time(after) == without_time(stored)) is (change == "nothing"), change
        assert without_time(after) == without_time(at_once(house)), change
        assert without_time(five_days) == without_time(health(house, days=5)), change
        work(house)
        again = health(house)
        assert without_time(again) == without_time(after), change
        if change == "nothing":
            assert without_time(other) == without_time(health(house, deployment="bot"))


def test_a_measurement_is_read_until_an_input_changes(house: House) -> None:
    furnish(house)
    work(house)
    house.clock.instant += timedelta(hours=1)
    assert health(house)["computed_at"] == NOW.isoformat().replace("+00:00", "Z")
    add_calls(house, 1, house.clock.instant)
    assert health(house)["computed_at"] == house.clock.instant.isoformat().replace("+00:00", "Z")


def test_changed_scores_of_an_old_run_change_the_health(house: House) -> None:
    furnish(house)
    work(house)
    before = health(house)
    with house.store.write() as tx:
        extra = [answer("q-0", score(0.0), sample=1, started_at=NOW)]
        tx.execute("remove_scores_of_runs", ids=["run-3"])
        settled_runs.unsettle(tx, ["run-3"])
        outcomes.append(tx, "run-3", extra, sealed)
    unsettled = health(house)
    with house.store.write() as tx:
        settled_runs.settle(tx, 10)
    assert unsettled["runs"] == before["runs"] - 1
    assert without_time(health(house)) == without_time(unsettled) == without_time(at_once(house))


def test_the_exposure_is_that_of_now(house: House) -> None:
    furnish(house)
    work(house)
    with house.store.write() as tx:
        revisions.log_reveal(tx, NOW, "ada", "export", SET, current(house), [one["id"] for one in MANY])
    assert health(house)["exposure"]["revealed_cases"] == len(MANY)


def test_a_measurement_of_yesterday_is_replaced_today(house: House) -> None:
    furnish(house)
    work(house)
    house.clock.instant = NOW + DAY
    work(house)
    assert health(house)["computed_at"].startswith((NOW + DAY).date().isoformat())
    assert [one["day"] for one in days(house)][-2:] == ["2026-11-21", "2026-11-22"]


def test_days_measured_later_equal_days_measured_in_time(tmp_path: Path) -> None:
    series = []
    for every_day in (True, False):
        with opened(tmp_path / str(every_day), clock=None) as house:
            for n in range(6):
                at = NOW + n * DAY
                house.clock.instant = at
                add_run(house, f"run-{n}", at, 12 + n, version=f"v{n}")
                add_calls(
                    house, 20, at, text="My order never arrived, please help" if n > 2 else "What costs article {}?"
                )
                if every_day:
                    work(house)
            house.clock.instant = NOW + 6 * DAY
            work(house)
            series.append([without_time(one) for one in days(house)])
    in_time, later = series
    assert [one["day"] for one in later] == [(NOW + n * DAY).date().isoformat() for n in range(7)]
    assert in_time == later
    assert [one["versions"] for one in later] == [1, 2, 3, 4, 5, 6, 6]
    assert [one["calls"] for one in later] == [20, 40, 60, 80, 100, 120, 120]
    assert later[0]["distant"] is None
    assert later[-1]["distant"] > later[2]["distant"]
    assert later[-1]["median_age_days"] == pytest.approx(6.0, abs=0.01)


def test_days_from_a_run_with_other_results_on_are_measured_again(house: House) -> None:
    house.clock.instant = NOW
    furnish_days = 4
    for n in range(furnish_days):
        house.clock.instant = NOW + n * DAY
        add_run(house, f"run-{n}", house.clock.instant, 12, version=f"v{n}")
    house.clock.instant = NOW + furnish_days * DAY
    work(house)
    before = {one["day"]: one for one in days(house)}
    house.clock.instant += timedelta(hours=1)
    with house.store.write() as tx:
        tx.execute("remove_scores_of_runs", ids=["run-2"])
        settled_runs.unsettle(tx, ["run-2"])
        scored = [answer(f"q-{n}", score(float(n >= 12)), sample=0, started_at=NOW) for n in range(len(MANY))]
        tx.execute("remove_outcomes_of_runs", ids=["run-2"])
        outcomes.append(tx, "run-2", scored, sealed)
        settled_runs.settle(tx, 10)
    work(house)
    after = {one["day"]: one for one in days(house)}
    changed = [day for day in after if after[day]["saturation"] != before[day]["saturation"]]
    assert changed == ["2026-11-23", "2026-11-24", "2026-11-25"]
    assert after["2026-11-22"] == before["2026-11-22"]


def test_retention_of_a_run_keeps_the_figures_of_its_day() -> None:
    day = date(2026, 11, 20)
    stored = [health_day(day, day_runs=2, day_digest="12")]

    def runs(number: int, unsettled: int = 0) -> list[RunDay]:
        return [RunDay(day=day, runs=number, unsettled=unsettled, digest="7")]

    assert first_changed(stored, runs(1), day + DAY) is None
    assert first_changed(stored, runs(3), day + DAY) == day
    assert first_changed(stored, runs(3), day) is None
    assert first_changed(stored, runs(3, unsettled=1), day + DAY) is None
    assert missing_days(stored, runs(3), day - DAY, day + DAY) == [day + DAY, day - DAY]
    assert missing_days(stored, runs(3, unsettled=1), day - DAY, day + DAY) == [day - DAY]


def health_day(day: date, **fields: Any) -> HealthDay:
    numbers: dict[str, Any] = dict.fromkeys(
        ["cases", "runs", "concerns", "versions", "judged", "calls", "redundant"], 0
    )
    absent: dict[str, Any] = dict.fromkeys(
        ["saturation", "distant", "distant_low", "distant_high", "uncovered", "budget"]
    )
    exposure: dict[str, Any] = dict.fromkeys(["max_exposure", "median_exposure", "over_budget", "revealed_cases"])
    ages: dict[str, Any] = dict.fromkeys(["median_age_days", "oldest_age_days"])
    known: dict[str, Any] = {"revision": "r1", "computed_at": NOW, "redundancy": 0.0}
    return HealthDay(day=day, **numbers | absent | exposure | ages | known | fields)


def test_erased_cases_are_in_no_stored_measurement(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        cases = [{"id": f"d-{n}", "input": f"Question {n}?", "reference": "5"} for n in range(4)]
        house.post("/api/v1/sets", {"name": "corrections", "cases": cases, "origin": "test"}).raise_for_status()
        work(house)
        with house.store.write() as tx:
            remove_cases(tx, "corrections", ["d-1"], NOW)
        with house.store.read() as tx:
            assert stored_health.newest_of_sets(tx) == []


def test_the_loop_waits_for_the_results_of_a_run_and_for_the_key_of_a_set(house: House) -> None:
    furnish(house)
    keyless = SetHealthLoop(
        store=house.store, policy=policy(), clock=house.clock, sealer_of=lambda _: None, code_version="1"
    )
    keyless.step()
    with house.store.write() as tx:
        settled_runs.unsettle(tx, ["run-1"])
    work(house)
    with house.store.read() as tx:
        assert [one.deployments for one in stored_health.newest_of_sets(tx)] == [("other-bot",)]  # it has no run


def test_a_limited_sender_sees_days_of_its_deployments_without_the_exposure_of_a_shared_set(tmp_path: Path) -> None:
    def token(text: str, limit: frozenset[str] | None) -> Token:
        digest = hashlib.sha256(text.encode()).hexdigest()
        return Token(name=text, sha256=digest, roles=frozenset(Role), deployments=limit)

    tokens = Tokens([token("mine", frozenset({"bot"})), token("root", None)])
    with open_house(tmp_path, tokens=tokens) as house:
        answered = house.post("/api/v1/sets", {"name": SET, "cases": MANY, "origin": "test"}, token="root")
        revision = answered.raise_for_status().json()["revision"]
        with house.store.write() as tx:
            for name in ("bot", "other-bot"):
                made = complete_run(name, NOW, deployment=name, set_name=SET, revision=revision, version="v1", cases=24)
                runs.insert(tx, made)
                outcomes.append(tx, name, [answer("q-0", score(1.0), started_at=NOW)], sealed)
            settled_runs.settle(tx, 10)
        work(house)
        mine = house.get("/api/v1/sets/health/days", set_name=SET, token="mine").json()
        root = house.get("/api/v1/sets/health/days", set_name=SET, token="root").json()
        refused = house.get("/api/v1/sets/health/days", set_name=SET, deployment="other-bot", token="mine")
    assert (mine["deployments"], [one["runs"] for one in mine["days"]]) == (["bot"], [1])
    assert (root["deployments"], [one["runs"] for one in root["days"]]) == (["bot", "other-bot"], [2])
    assert mine["days"][0]["max_exposure"] is None
    assert root["days"][0]["max_exposure"] == 0
    assert refused.status_code == 404


def test_all_sets_are_listed_with_the_state_of_their_health_the_worst_first(house: House) -> None:
    others = [{"id": "d-1", "input": "When does the shop open?", "reference": "9"}]
    house.post("/api/v1/sets", {"name": "corrections", "cases": others, "origin": "test"}).raise_for_status()
    furnish(house)
    unmeasured = house.get("/api/v1/sets/health/all").json()["items"]
    work(house)
    items = house.get("/api/v1/sets/health/all").json()["items"]
    concerns = health(house)["concerns"]
    assert {one["set_name"]: one["state"] for one in unmeasured} == {"private": "unknown", "corrections": "unknown"}
    assert (items[0]["set_name"], items[0]["state"]) == ("private", "concerns")
    assert items[0]["concerns"] == concerns
    assert (items[0]["runs"], items[0]["cases"], items[0]["max_exposure"]) == (9, len(MANY), 0)
    [result] = items[0]["results"]
    assert (result["deployment"], result["rate"]) == ("bot", result["passed"] / result["scored"])
    assert result["low"] < result["rate"] <= result["high"]
    newest = house.get("/api/v1/runs", deployment="bot").json()["items"][0]
    assert (result["run_id"], result["passed"], result["scored"]) == (newest["id"], newest["passed"], newest["scored"])
    assert items[1]["results"] == []


def test_a_set_without_cases_has_no_days(house: House) -> None:
    assert house.get("/api/v1/sets/health/days", set_name="nothing").status_code == 404
    assert days(house) == []


@pytest.mark.parametrize("most_calls", [2_000, 30, 12])
def test_days_that_share_their_inputs_have_the_figures_of_days_that_are_measured_alone(
    house: House, most_calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few of the calls in the sample, most calls of the window of a day can be missing from the shared sample."""
    monkeypatch.setattr(set_health, "MOST_CALLS", most_calls)
    furnish(house)
    add_calls(house, 80, NOW - DAY, text="Is article {} in stock?")
    add_calls(house, 20, NOW - 36 * DAY, text="Who is number {}?")
    ends = [set_health.end_of((NOW - n * DAY).date()) for n in range(1, 11)]
    with house.store.read() as tx:
        revision = revisions.current(tx, SET)
        assert revision is not None
        cases = sealed_sets.read_cases(tx, SET, revision.revision, SEALER)
        asked = (tx, revision, cases, ["bot"])
        shared = set_health.inputs_of_days(*asked, ends)
        together = [set_health.measured_from(tx, shared, NOW, until=end) for end in ends]
        alone = [set_health.measure(*asked, NOW, until=end) for end in ends]
    assert together == alone
    assert len({one.runs for one in alone}) > 5
    assert len({one.health.staleness.distant for one in alone}) > (2 if most_calls > 12 else 0)
