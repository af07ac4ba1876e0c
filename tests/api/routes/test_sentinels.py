"""Sentinels of a judge: chosen from reviews, judged every night, and a judge that moved."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from threading import Event
from typing import Any

import pytest

from monitor.alerting.checks.condition import ConditionState
from monitor.jobs.alerting.judge_checks import JudgeCheck
from monitor.jobs.judging.sentinel_loop import SentinelLoop
from monitor.store.judging import sentinels, standing
from monitor.store.maintenance.rotate_key import reseal
from replay.evalsets.sealing import Sealer
from replay.scorers.base import Scorer, Stamped
from replay.types import Case, Reply, Score
from tests.api.house import SEALER, House, import_cases
from tests.api.policies import policy
from tests.api.rows import HIDDEN, JUDGE, add_judged_run

NEW_KEY = bytes(range(1, 33))
PLACE: dict[str, Any] = {"deployment": "bot", "set_name": "private", "scorer": "rubric"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedJudge(Stamped):
    """Fails each third reply of a case, and with `strict` every second one of the others. A reply begins with its
    sample: `p-7/3: ...`.
    """

    strict: bool = False
    outage: bool = False

    def score(self, case: Case, reply: Reply) -> Score:
        if self.outage:
            return self.unscored("judge: connection refused")
        sample = int(reply.text.removeprefix(f"{case.id}/").split(":")[0])
        fails = bad(sample) or (self.strict and sample % 2 == 0)
        score = self.failed("wrong_answer", "bad") if fails else self.passed("good")
        return replace(score, judged_by=JUDGE)


@dataclass
class Nights:
    """A house whose sentinels are judged night after night by the judge in `scorer`."""

    house: House
    scorer: ScriptedJudge

    def loop(self) -> SentinelLoop:
        def scorers_of(deployment: str, set_name: str, round_id: str) -> Sequence[Scorer]:
            assert (deployment, set_name, round_id.split("-", maxsplit=1)[0]) == ("bot", "private", "sentinels")
            return [self.scorer]

        return SentinelLoop(
            store=self.house.store,
            policy=policy(),
            clock=self.house.clock,
            scorers_of=scorers_of,
            sealer_of={"private": SEALER}.get,
            stopping=Event(),
        )

    def night(self) -> int:
        self.house.clock.instant += timedelta(hours=24)
        return self.loop().step()

    def listed(self) -> dict[str, Any]:
        return dict(self.house.get("/api/v1/judges/sentinels", **PLACE).json())

    def state(self) -> str:
        with self.house.store.read() as tx:
            return standing.of_set(tx, "bot", "private")["rubric"].state

    def condition(self) -> ConditionState:
        (found,) = JudgeCheck(self.house.store, policy()).conditions(self.house.clock.now())
        return found.state


def bad(sample: int) -> bool:
    return sample % 3 == 0


@pytest.fixture
def nights(house: House) -> Nights:
    """A validated judge with 20 sentinels, of which people fail 10."""
    import_cases(house)
    places = {(case, n): not bad(n) for case in ("p-7", "c-9") for n in range(30)}
    add_judged_run(house, "run-1", places)
    sample = house.get("/api/v1/judges/sample", **PLACE | {"count": 20}).json()["items"]
    for item in sample:
        body = {name: item[name] for name in ("run_id", "case_id", "sample")}
        verdict = body | {"scorer": "rubric", "passes": not bad(item["sample"]), "sampled": True}
        assert house.post("/api/v1/judges/reviews", verdict).status_code == 200
    assert house.post("/api/v1/judges/sentinels", PLACE | {"count": 20}).status_code == 201
    return Nights(house, ScriptedJudge(name="rubric", version="1"))


def test_reviewed_outcomes_become_sentinels_with_a_sealed_copy_and_a_reference(nights: Nights) -> None:
    found = nights.listed()
    assert (len(found["items"]), sum(item["passes"] for item in found["items"])) == (20, 10)
    assert all(item["reference"] == float(item["passes"]) for item in found["items"])
    with nights.house.store.read() as tx:
        rows = sentinels.active(tx)
    assert all(row.sealed and HIDDEN.encode() not in row.content for row in rows)
    case, reply = sentinels.opened(rows[0], SEALER) or pytest.fail("not opened")
    assert (case.id, HIDDEN in reply.text) == (rows[0].case_id, True)


def test_an_outcome_becomes_a_sentinel_once(nights: Nights) -> None:
    response = nights.house.post("/api/v1/judges/sentinels", PLACE | {"count": 20})
    assert (response.status_code, "driftd review outcomes" in response.json()["detail"]) == (409, True)


def test_a_steady_judge_is_judged_once_a_night_and_does_not_move(nights: Nights) -> None:
    assert [nights.night() for _ in range(3)] == [20, 20, 20]
    assert nights.loop().step() == 0
    found = nights.listed()["shift"]
    assert (found["nights"], found["moved"], found["agrees"]) == (3, False, 20)
    assert (nights.state(), nights.condition()) == ("validated", ConditionState.CLEAR)


def test_a_judge_that_moved_is_drifted_until_a_person_accepts_it(nights: Nights) -> None:
    for _ in range(10):
        nights.night()
    nights.scorer = replace(nights.scorer, strict=True)
    for _ in range(3):
        nights.night()
    assert (nights.state(), nights.condition()) == ("drifted", ConditionState.FIRING)
    shift = nights.listed()["shift"]
    assert (shift["moved"], shift["kind"], shift["rose"]) == (True, "stricter", 0)
    assert shift["fell"] >= 3
    accepted = nights.house.post("/api/v1/judges/accept", PLACE | {"reason": "it is right now"})
    assert (accepted.status_code, nights.state(), nights.condition()) == (200, "validated", ConditionState.CLEAR)
    for _ in range(3):
        nights.night()
    assert nights.listed()["shift"]["moved"] is False
    assert nights.house.post("/api/v1/judges/accept", PLACE | {"reason": "again"}).status_code == 409


def test_an_outage_is_no_verdict_and_is_tried_again_after_an_hour(nights: Nights) -> None:
    nights.scorer = replace(nights.scorer, outage=True)
    nights.night()
    found = nights.listed()
    assert {(item["newest"], item["reason"]) for item in found["items"]} == {(None, "judge: connection refused")}
    assert found["shift"] is None
    assert nights.loop().step() == 0
    nights.house.clock.instant += timedelta(hours=1)
    assert nights.loop().step() == 20


def test_a_replay_is_followed_by_a_round_on_the_same_day(nights: Nights) -> None:
    nights.night()
    nights.house.clock.instant += timedelta(hours=7)
    assert nights.loop().step() == 0
    add_judged_run(nights.house, "run-2", {("p-7", 0): True}, night=1)
    assert nights.loop().step() == 20


def test_a_removed_sentinel_is_judged_no_more(nights: Nights) -> None:
    first = nights.listed()["items"][0]["id"]
    response = nights.house.post(f"/api/v1/judges/sentinels/{first}/remove", {})
    assert (response.status_code, len(response.json()["items"])) == (200, 19)
    assert nights.night() == 19
    assert nights.house.post(f"/api/v1/judges/sentinels/{first}/remove", {}).status_code == 409
    assert nights.house.post("/api/v1/judges/sentinels/sentinel-9/remove", {}).status_code == 404


def test_a_new_key_seals_the_copies_again(nights: Nights) -> None:
    with nights.house.store.write() as tx:
        reseal(tx, "private", Sealer(NEW_KEY, older=[SEALER]))
        rows = sentinels.active(tx)
    assert sentinels.opened(rows[0], Sealer(NEW_KEY)) is not None


def test_erased_cases_take_their_sentinels_with_them(nights: Nights) -> None:
    with nights.house.store.write() as tx:
        for statement in ("remove_sentinel_verdicts_of_cases", "remove_sentinels_of_cases"):
            tx.execute(statement, name="private", ids=["p-7"])
        assert {row.case_id for row in sentinels.active(tx)} == {"c-9"}
        assert len(sentinels.verdicts(tx, *PLACE.values())) == len(sentinels.active(tx))


def test_the_history_has_the_calibration_the_rounds_and_the_events(nights: Nights) -> None:
    for _ in range(10):
        nights.night()
    nights.scorer = replace(nights.scorer, strict=True)
    for _ in range(3):
        nights.night()
    found = nights.house.get("/api/v1/judges/history", **PLACE).json()
    (judge,) = found["judges"]
    assert (judge["model"], judge["is_current"]) == (JUDGE.model, True)
    assert [point["reviewed"] for point in judge["points"]] == [20]
    assert judge["points"][0]["kappa"]["value"] == 1.0
    assert (found["needed_reviews"], found["needed_each"], found["needed_kappa"]) == (20, 5, 0.4)
    assert [row["agrees"] for row in found["rounds"][:10]] == [20] * 10
    assert found["rounds"][-1]["fell"] >= 3
    assert [(row["kind"], row["is_current"]) for row in found["events"]] == [("drifted", True)]
