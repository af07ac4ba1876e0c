"""Every error is a problem document, and no input causes a 5xx."""

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.api.schema import Problem
from monitor.store.runs import runs
from tests.api.house import House, import_cases, open_house
from tests.api.records import interaction, thumb
from tests.api.rows import furnish
from tests.properties import examples

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("house")) as house:
        furnish(house)
        yield house


def problem_of(response: httpx.Response) -> Problem:
    assert response.headers["content-type"] == "application/problem+json"
    problem = Problem.model_validate(response.json())
    assert problem.status == response.status_code
    assert problem.title
    assert problem.detail
    return problem


@pytest.mark.parametrize("path", ["/", "/api/v1", "/api/v1/runs/", "/api/v2/runs", "/docs", "/api/v1/runs/a/b", "//"])
def test_a_path_that_is_not_there_is_a_problem(house: House, path: str) -> None:
    problem = problem_of(house.get(path))
    assert (problem.status, problem.code) == (404, "route_not_found")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"])
def test_a_method_that_is_not_there_is_a_problem(house: House, method: str) -> None:
    response = house.ask(method, "/api/v1/runs")
    assert response.status_code == 405
    assert response.headers["allow"]
    if method != "HEAD":
        assert problem_of(response).code == "method_not_allowed"


def test_several_faults_are_reported_with_their_places(house: House) -> None:
    problem = problem_of(house.get("/api/v1/runs", limit=0, since="yesterday"))
    assert problem.detail.startswith("query.limit: ")
    assert "; query.since: " in problem.detail


def test_a_fault_never_repeats_what_was_sent(house: House) -> None:
    for response in (
        house.get("/api/v1/runs", since="the-private-words"),
        house.post("/api/v1/sets", {"name": "private", "cases": "the-private-words"}),
        house.post("/api/v1/interactions", "the-private-words"),
    ):
        problem_of(response)
        assert "the-private-words" not in response.text


def test_a_store_that_cannot_answer_is_503_with_a_time_to_come_back_and_one_log_line(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.store.close()
    with caplog.at_level(logging.INFO):
        response = [house.get("/api/v1/runs") for _ in range(3)][-1]  # however many ask
    assert (problem_of(response).code, int(response.headers["retry-after"])) == ("store_unavailable", 1)
    [record] = [record for record in caplog.records if record.name.startswith("monitor.api")]
    assert record.getMessage().startswith("GET /api/v1/runs answered 503")


def test_a_bug_is_500_without_a_word_of_the_inside(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    words = "a private word"  # apart from the raise: a traceback quotes the source

    def broken(*_: object) -> None:
        raise RuntimeError(words)

    monkeypatch.setattr(runs, "page", broken)
    with caplog.at_level(logging.INFO):
        response = house.get("/api/v1/runs")
    assert problem_of(response).code == "internal"
    assert "a private word" not in response.text
    assert len([record for record in caplog.records if record.levelno >= logging.ERROR]) == 1
    assert "a private word" not in caplog.text


PARAMETERS = ("limit", "cursor", "deployment", "since", "until", "set_name", "run_id", "reveal", "revision")
VALUES = st.one_of(
    st.text(max_size=20),
    st.integers().map(str),
    st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)).map(datetime.isoformat),
    st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat),
    st.sampled_from(["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "private", "run-1", "true", "1e400"]),
)


@settings(max_examples=examples(120), deadline=None)
@given(data=st.data())
def test_no_query_is_a_5xx(furnished: House, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(furnished.app.openapi()["paths"])))
    wanted = data.draw(st.dictionaries(st.sampled_from([*PARAMETERS, "baseline", "candidate"]), VALUES, max_size=4))
    path = path.replace("{id}", quote(data.draw(st.text(min_size=1, max_size=5)), safe=""))
    response = furnished.get(path, **wanted)
    assert response.status_code < 500, response.text
    if response.status_code >= 400:
        problem_of(response)


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=10),
    st.sampled_from([2**63, -(2**63) - 1, 10**400]),
)
ANY_JSON = st.recursive(
    LEAVES, lambda c: st.lists(c, max_size=3) | st.dictionaries(st.text(max_size=8), c, max_size=3), max_leaves=8
)
WRITES = {
    "/api/v1/interactions": interaction(type="interaction", usage={}, prompt={}, error=None, attributes={}),
    "/api/v1/feedback": thumb(type="feedback", at="2026-11-21T01:00:00Z", comment="", expected="", source="user"),
    "/api/v1/changes": {"deployment": "bot", "model": "gpt-5", "at": None, "prompt_text": "x", "note": "n"},
    "/api/v1/sets": {"name": "private", "cases": [{"id": "a", "input": "Is 4 a prime?"}], "origin": "x"},
    "/api/v1/runs": {"deployment": "bot", "set_name": "private"},
}


@settings(max_examples=examples(120), deadline=None)
@given(data=st.data())
def test_no_body_is_a_5xx(furnished: House, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(WRITES)))
    body = dict(WRITES[path])
    for field in data.draw(st.lists(st.sampled_from(sorted(body)), max_size=2)):
        body[field] = data.draw(ANY_JSON)
    content = json.dumps(data.draw(st.sampled_from([body, [body], {**body, "extra": 1}])) if body else None)
    response = furnished.ask("POST", path, content=content, headers=JSON)
    assert response.status_code < 500, response.text
    if response.status_code >= 400:
        problem_of(response)


@settings(max_examples=60, deadline=None)
@given(path=st.sampled_from(sorted(WRITES)), body=st.binary(max_size=40) | ANY_JSON.map(json.dumps).map(str.encode))
def test_no_bytes_are_a_5xx(furnished: House, path: str, body: bytes) -> None:
    response = furnished.ask("POST", path, content=body, headers=JSON)
    assert response.status_code < 500, response.text
    if response.status_code >= 400:
        problem_of(response)


def test_a_long_batch_of_faults_is_reported_in_few_message(house: House) -> None:
    import_cases(house)
    detail = problem_of(house.post("/api/v1/sets", {"name": "private", "cases": [1] * 40})).detail
    assert detail.endswith("; and 35 more")


def test_a_wrong_method_names_all_methods_of_the_path(house: House) -> None:
    answer = house.ask("OPTIONS", "/api/v1/baselines")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")
    assert house.ask("DELETE", "/api/v1/overview").headers["allow"] == "GET"
    assert house.ask("DELETE", "/api/v1/silences/preview").headers["allow"] == "POST"


@pytest.mark.parametrize("instant", ["0.5", "1700000000", "2026-11-21"])
def test_a_time_without_date_time_and_offset_is_refused(house: House, instant: str) -> None:
    assert house.get("/api/v1/alerts", until=instant).status_code == 422
