"""Cases over runs: the list with its filters, and the history of one case."""

from typing import Any

from monitor.api.auth import Role
from tests.api.house import House, import_cases, token_of
from tests.api.rows import add_candidate, add_complete_run, add_judged_run, add_version

NIGHTS = (
    {"p-7": True, "c-9": False, "p-11": True},
    {"p-7": False, "c-9": False, "p-11": True},
    {"p-7": True, "c-9": False, "p-11": True},
    {"p-7": False, "c-9": False, "p-11": True},
)


def with_nights(house: House) -> None:
    import_cases(house)
    for night, passes in enumerate(NIGHTS):
        add_complete_run(house, f"run-{night}", passes, night=night, version="v1" if night < 3 else "v2")


def trends(house: House, **query: Any) -> Any:
    response = house.get("/api/v1/cases/trends", **{"set_name": "private"} | query)
    assert response.status_code == 200, response.text
    return response.json()


def history(house: House, case_id: str, **query: Any) -> Any:
    response = house.get("/api/v1/cases/history", **{"set_name": "private", "case_id": case_id} | query)
    assert response.status_code == 200, response.text
    return response.json()


def ids(found: Any) -> list[str]:
    return [item["case_id"] for item in found["items"]]


def test_each_case_has_its_difficulty_its_flips_and_its_states(house: House) -> None:
    with_nights(house)
    found = trends(house, order="id")
    assert (found["runs"], found["run_id"], found["deployment"], found["total"]) == (4, "run-3", "bot", 3)
    composite, easy, flaky = found["items"]
    assert (composite["case_id"], composite["fail_share"], composite["states"]) == (
        "c-9",
        1.0,
        ["failing", "never_passes"],
    )
    assert (easy["case_id"], easy["states"], easy["passed"], easy["failure_category"]) == (
        "p-11",
        ["too_easy"],
        True,
        None,
    )
    assert (flaky["failed"], flaky["flips"], flaky["night_pairs"]) == (2, 2, 2)  # the fourth night is another version
    assert flaky["states"] == ["failing", "newly_failing", "flaky"]
    assert found["states"] == {"failing": 2, "newly_failing": 1, "flaky": 1, "never_passes": 1, "too_easy": 1}


def test_filters_orders_and_pages_select_the_cases(house: House) -> None:
    with_nights(house)
    assert ids(trends(house, state="newly_failing")) == ["p-7"]
    assert ids(trends(house, category="prime", order="difficulty")) == ["p-7", "p-11"]
    assert ids(trends(house, severity="high")) == ["p-7"]
    assert ids(trends(house, text="P-1")) == ["p-11"]
    assert ids(trends(house, order="flakiness"))[0] == "p-7"
    assert ids(trends(house, failure_category="wrong_fact", state="too_easy")) == []
    first = trends(house, limit=2, order="id")
    assert (ids(first), first["total"]) == (["c-9", "p-11"], 3)
    assert ids(trends(house, limit=2, order="id", cursor=first["next_cursor"])) == ["p-7"]


def test_the_failure_category_of_the_newest_run_selects_its_failed_cases(house: House) -> None:
    with_nights(house)
    (category,) = trends(house)["failure_categories"]
    assert sorted(ids(trends(house, failure_category=category))) == ["c-9", "p-7"]


def test_a_named_run_is_the_newest_that_counts(house: House) -> None:
    with_nights(house)
    found = trends(house, run_id="run-2", state="failing")
    assert (ids(found), found["runs"], found["run_id"]) == (["c-9"], 3, "run-2")
    assert trends(house, runs=2)["runs"] == 2
    assert house.get("/api/v1/cases/trends", set_name="private", run_id="absent").status_code == 404
    assert house.get("/api/v1/cases/trends", set_name="private", run_id="run-2", deployment="shop").status_code == 404


def test_a_set_without_a_run_lists_its_cases_without_a_verdict(house: House) -> None:
    import_cases(house)
    found = trends(house)
    assert (found["total"], found["runs"], found["run_id"]) == (3, 0, None)
    assert {item["passed"] for item in found["items"]} == {None}
    assert history(house, "p-7")["runs"] == []
    assert house.get("/api/v1/cases/trends", set_name="absent").status_code == 404


def test_a_case_has_every_answer_and_the_pass_rate_of_each_version(house: House) -> None:
    with_nights(house)
    add_version(house, "v1")
    found = history(house, "p-7")
    assert [run["passed"] for run in found["runs"]] == [True, False, True, False]
    assert [len(run["answers"]) for run in found["runs"]] == [1, 1, 1, 1]
    old, new = found["versions"]
    assert (old["version_label"], old["nights"], old["failed"], old["answers"], old["passes"]) == (
        "label of v1",
        3,
        1,
        3,
        2,
    )
    assert old["ci_low"] < old["pass_rate"] < old["ci_high"]
    assert (new["version"], new["pass_rate"], found["failed_versions"]) == ("v2", 0.0, 1)
    assert house.get("/api/v1/cases/history", set_name="private", case_id="absent").status_code == 404


def test_answers_of_one_night_that_disagree_make_a_case_flaky(house: House) -> None:
    import_cases(house)
    add_judged_run(house, "run-1", {("p-7", 0): True, ("p-7", 1): False, ("c-9", 0): True})
    found = {item["case_id"]: item for item in trends(house)["items"]}
    assert (found["p-7"]["pairs"], found["p-7"]["disagreeing"], found["p-7"]["states"]) == (1, 1, ["flaky"])
    assert found["c-9"]["pairs"] == 0
    (run,) = history(house, "p-7")["runs"]
    assert [(row["kind"], row["passed"]) for row in run["answers"]] == [("sample", True), ("repeat", False)]


def test_runs_with_another_content_of_the_case_are_marked_and_count_in_no_figure(house: House) -> None:
    with_nights(house)
    changed = [{"id": "p-7", "input": "Is seven a prime?", "reference": "yes", "category": "prime"}]
    assert house.post("/api/v1/sets", {"name": "private", "cases": changed}).status_code == 201
    add_complete_run(house, "run-4", {"p-7": True}, night=4, version="v2")
    found = history(house, "p-7")
    assert [run["same_content"] for run in found["runs"]] == [False] * 4 + [True]
    assert (found["trend"]["runs"], found["trend"]["failed"]) == (1, 0)
    assert [row["change"] for row in found["revisions"]] == ["entered", "changed"]
    assert [row["nights"] for row in found["versions"]] == [1]


def test_a_sealed_case_has_its_exposure_and_no_text(guarded: House) -> None:
    import_cases(guarded, token=token_of(Role.OPERATE))
    add_complete_run(guarded, "run-1", {"p-7": True})
    read, revealing = token_of(Role.READ), token_of(Role.READ, Role.REVEAL)
    asked = {"set_name": "private", "case_id": "p-7"}
    before = guarded.get("/api/v1/cases/history", token=read, **asked)
    assert (before.json()["sealed"], before.json()["exposure"]["reveals"]) == (True, 0)
    assert "prime?" not in before.text
    assert guarded.get("/api/v1/cases", token=revealing, reveal="true", **asked).status_code == 200
    assert guarded.get("/api/v1/cases/history", token=read, **asked).json()["exposure"]["reveals"] == 1
    other = guarded.get("/api/v1/cases/history", token=read, set_name="private", case_id="c-9")
    assert other.json()["exposure"]["reveals"] == 0


def test_a_case_of_a_correction_names_its_candidate(house: House) -> None:
    candidate = add_candidate(house, "candidate-1", content_hash="0123456789abcdef" * 4)
    case = {"id": "case-0123456789ab", "input": "Is 13 a prime?", "reference": "yes"}
    assert house.post("/api/v1/sets", {"name": "corrections", "cases": [case]}).status_code == 201
    found = history(house, case["id"], set_name="corrections")
    assert (found["origin"]["candidate_id"], found["exposure"]) == (candidate.id, None)


def test_variants_of_a_case_are_the_others_of_its_cluster(house: House) -> None:
    cases = [
        {"id": f"v-{n}", "input": f"Is 1{n} a prime?", "reference": "yes", "cluster": "teens" if n < 2 else None}
        for n in range(3)
    ]
    sent = [{name: value for name, value in case.items() if value is not None} for case in cases]
    assert house.post("/api/v1/sets", {"name": "corrections", "cases": sent}).status_code == 201
    found = history(house, "v-0", set_name="corrections")
    assert [item["case_id"] for item in found["variants"]] == ["v-1"]
    assert history(house, "v-2", set_name="corrections")["variants"] == []
