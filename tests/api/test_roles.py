"""Every route with every role, generated from the OpenAPI document of the application."""

from collections.abc import Iterator

import pytest

from monitor.api.auth import EVERYTHING_BUT_REVEAL, Role
from monitor.api.uploads import ResultUploads
from monitor.ingest.results.import_limits import ImportLimits
from monitor.ingest.results.progress import ImportProgress
from monitor.ingest.results.spool import Spool
from monitor.store.traffic import dead_letters
from monitor.store.traffic.dead_letters import DeadLetter
from replay.scorers.table import build_scorer
from tests.api.house import NOW, House, open_house, token_of, tokens_for_roles
from tests.api.records import interaction, thumb
from tests.api.rows import furnish

SIGNED = {
    ("POST", f"/api/v1/callbacks/{service}/{{name}}") for service in ("pagerduty", "slack")
}  # a signature takes the place of a token
OPEN = {("GET", "/healthz"), ("GET", "/readyz")} | SIGNED
NEEDS = {
    "ingest": {
        ("POST", "/api/v1/interactions"),
        ("POST", "/api/v1/feedback"),
        ("POST", "/api/v1/files"),
        ("GET", "/api/v1/files"),
    },
    "operate": {
        ("POST", "/api/v1/changes"),
        ("POST", "/api/v1/sets"),
        ("POST", "/api/v1/sets/diff"),
        ("POST", "/api/v1/sets/leaks"),
        ("POST", "/api/v1/sets/refresh"),
        ("POST", "/api/v1/sets/graduate"),
        ("POST", "/api/v1/runs"),
        ("POST", "/api/v1/judges/pairs"),
        ("POST", "/api/v1/runs/{id}/resume"),
        ("POST", "/api/v1/runs/{id}/cancel"),
        ("POST", "/api/v1/schedules/{id}/pause"),
        ("POST", "/api/v1/schedules/{id}/resume"),
        ("POST", "/api/v1/schedules/{id}/run"),
        ("POST", "/api/v1/baselines"),
        ("POST", "/api/v1/pins"),
        ("POST", "/api/v1/pins/end"),
        ("POST", "/api/v1/losses/acknowledge"),
        ("GET", "/api/v1/dead_letters/{id}"),
        ("POST", "/api/v1/dead_letters/{id}/retry"),
        ("POST", "/api/v1/dead_letters/{id}/remove"),
        ("POST", "/api/v1/alerts/{id}/acknowledge"),
        ("POST", "/api/v1/alerts/{id}/unacknowledge"),
        ("POST", "/api/v1/alerts/{id}/resolve"),
        ("POST", "/api/v1/silences"),
        ("POST", "/api/v1/silences/{id}/expire"),
        ("POST", "/api/v1/receivers/{name}/test"),
        ("POST", "/api/v1/judges/sentinels"),
        ("POST", "/api/v1/judges/sentinels/{id}/remove"),
        ("POST", "/api/v1/judges/accept"),
        ("POST", "/api/v1/rescores"),
        ("POST", "/api/v1/results"),
        ("POST", "/api/v1/rescores/{id}/resume"),
    },
    "review": {
        ("POST", "/api/v1/alerts/{id}/verdict"),
        ("POST", "/api/v1/candidates/decisions"),
        ("POST", "/api/v1/candidates/{id}/decisions"),
        ("POST", "/api/v1/candidates/{id}/reviews"),
        ("POST", "/api/v1/reviews/{id}/undo"),
        ("POST", "/api/v1/turns/{id}/review"),
        ("POST", "/api/v1/judges/reviews"),
        ("POST", "/api/v1/failure-groups/{id}/accept"),
        ("POST", "/api/v1/failure-groups/{id}/dismiss"),
        ("POST", "/api/v1/turns/recalibrate"),
    },
    "reveal": {("GET", "/api/v1/sets/export")},
    "admin": {
        ("POST", "/api/v1/backups"),
        ("GET", "/api/v1/backups/{id}"),
        ("GET", "/api/v1/backups/{id}/chunk"),
        ("POST", "/api/v1/backups/{id}/discard"),
        ("GET", "/api/v1/database/tables"),
        ("GET", "/api/v1/database/verification"),
        ("POST", "/api/v1/compactions"),
        ("POST", "/api/v1/sets/key"),
        ("GET", "/api/v1/audit"),
        ("GET", "/api/v1/audit/verification"),
        ("POST", "/api/v1/audit/acknowledge"),
        ("GET", "/api/v1/tokens"),
        ("GET", "/api/v1/tokens/configured"),
        ("POST", "/api/v1/tokens"),
        ("POST", "/api/v1/tokens/{id}/rotate"),
        ("POST", "/api/v1/tokens/{id}/revoke"),
    },
}
REMOVES = "/api/v1/dead_letters/{id}/remove"
SILENCE = {"matchers": ["deployment=bot"], "comment": "move of the house", "ends_at": "2026-11-21T09:00:00Z"}
JUDGE = {"deployment": "bot", "set_name": "private", "scorer": "rubric"}
BODIES = {
    "/api/v1/interactions": interaction(),
    "/api/v1/feedback": thumb(),
    "/api/v1/files": {
        "digest": "0" * 64,
        "name": "log.jsonl",
        "unit": "line",
        "before": {"offset": 0, "number": 0},
        "after": {"offset": 9, "number": 1},
        "whole": True,
        "records": [],
    },
    "/api/v1/changes": {"deployment": "bot", "model": "gpt-5"},
    "/api/v1/sets": {"name": "corrections", "cases": [{"id": "a", "input": "Is 4 a prime?"}]},
    "/api/v1/sets/leaks": {"days": 3},
    "/api/v1/sets/refresh": {"name": "corrections"},
    "/api/v1/sets/graduate": {"name": "corrections", "to": "private", "dry_run": True},
    "/api/v1/sets/key": {"name": "private"},
    "/api/v1/sets/diff": {"name": "private", "cases": [{"id": "a", "input": "Is 4 a prime?"}]},
    "/api/v1/runs": {"deployment": "bot", "set_name": "private"},
    "/api/v1/failure-groups/{id}/accept": {"name": "gift_cards"},
    "/api/v1/failure-groups/{id}/dismiss": {},
    "/api/v1/runs/{id}/resume": {},
    "/api/v1/runs/{id}/cancel": {},
    "/api/v1/schedules/{id}/pause": {"reason": "migration"},
    "/api/v1/schedules/{id}/resume": {},
    "/api/v1/schedules/{id}/run": {},
    "/api/v1/baselines": {"finding_id": "finding-1", "reason": "we chose the cheaper model"},
    "/api/v1/pins": {"run_id": "run-1", "reason": "launch"},
    "/api/v1/audit/acknowledge": {"numbers": [1]},  # 409: no broken link
    "/api/v1/tokens": {"name": "collector", "roles": ["ingest"]},
    "/api/v1/tokens/{id}/rotate": {},
    "/api/v1/tokens/{id}/revoke": {},
    "/api/v1/pins/end": {"deployment": "bot", "set_name": "private"},
    "/api/v1/losses/acknowledge": {"note": "restored the backup of Sunday"},
    "/api/v1/compactions": {"erase_user": "nobody"},
    "/api/v1/backups": {},
    "/api/v1/backups/{id}/discard": {},
    "/api/v1/dead_letters/{id}/retry": {},
    "/api/v1/dead_letters/{id}/remove": {},
    "/api/v1/candidates/decisions": {"decisions": [{"id": "candidate-2", "action": "reject"}]},
    "/api/v1/candidates/{id}/decisions": {"action": "accept"},
    "/api/v1/candidates/{id}/reviews": {"action": "accept"},
    "/api/v1/reviews/{id}/undo": {},
    "/api/v1/turns/{id}/review": {"corrects": True},
    "/api/v1/judges/pairs": {"run_a": "run-judged", "run_b": "run-judged", "judge": "grader"},
    "/api/v1/judges/reviews": {"run_id": "run-judged", "case_id": "p-7", "scorer": "rubric", "passes": True},
    "/api/v1/rescores": {"run_id": "run-judged", "scorer": "rubric"},
    "/api/v1/rescores/{id}/resume": {},
    "/api/v1/results": {"evalId": "any"},
    "/api/v1/judges/sentinels": JUDGE,
    "/api/v1/judges/sentinels/{id}/remove": {},
    "/api/v1/judges/accept": JUDGE | {"reason": "the new verdicts are right"},
    "/api/v1/turns/recalibrate": {"deployment": "bot", "dry_run": True},  # 409: too few reviews
    "/api/v1/alerts/{id}/acknowledge": {},
    "/api/v1/alerts/{id}/unacknowledge": {},
    "/api/v1/alerts/{id}/resolve": {},
    "/api/v1/alerts/{id}/verdict": {"verdict": "true"},
    "/api/v1/silences": SILENCE,
    "/api/v1/silences/preview": SILENCE,
    "/api/v1/silences/{id}/expire": {},
    "/api/v1/receivers/{name}/test": {},
    "/api/v1/callbacks/pagerduty/{name}": {},
    "/api/v1/callbacks/slack/{name}": {},
}
QUERIES = {
    "/api/v1/files": {"digest": "0" * 64},
    "/api/v1/results": {"deployment": "bot", "filename": "a.json"},
    "/api/v1/cases": {"set_name": "private"},
    "/api/v1/histories": {"deployment": "bot"},
    "/api/v1/sets/diff": {"set_name": "private"},
    "/api/v1/sets/export": {"set_name": "private"},
    "/api/v1/sets/access": {"set_name": "private"},
    "/api/v1/sets/health": {"set_name": "private"},
    "/api/v1/sets/health/days": {"set_name": "private"},
    "/api/v1/sets/metrics": {"deployment": "bot", "set_name": "private"},
    "/api/v1/sets/failures": {"deployment": "bot", "set_name": "private"},
    "/api/v1/failure-categories/days": {"deployment": "bot"},
    "/api/v1/production/days": {"deployment": "bot"},
    "/api/v1/sets/refreshes": {"set_name": "private"},
    "/api/v1/sets/refresh": {"set_name": "corrections"},
    "/api/v1/sets/exposure": {"set_name": "private"},
    "/api/v1/outcomes": {"run_id": "run-1"},
    "/api/v1/backups/{id}/chunk": {"number": 0},
    "/api/v1/database/verification": {"table": "interaction"},
    "/api/v1/noise": {"deployment": "bot", "set_name": "private"},
    "/api/v1/production": {"deployment": "bot"},
    "/api/v1/turns/sample": {"deployment": "bot"},
    "/api/v1/judges/calibration": JUDGE,
    "/api/v1/judges/sample": JUDGE,
    "/api/v1/judges/sentinels": JUDGE,
    "/api/v1/judges/bias": JUDGE,
    "/api/v1/judges/history": JUDGE,
    "/api/v1/corrections/rate": {"deployment": "bot"},
    "/api/v1/choices/ranking": {"candidate": ["run-1", "run-2"]},
    "/api/v1/choices/scorecard": {"candidate": ["run-1", "run-2"]},
    "/api/v1/comparisons": {"baseline": "run-1", "candidate": "run-2"},
    "/api/v1/comparisons/flips": {"baseline": "run-1", "candidate": "run-2"},
    "/api/v1/cases/trends": {"set_name": "private"},
    "/api/v1/cases/history": {"set_name": "private", "case_id": "p-7"},
    "/api/v1/cases/replies": {"run_id": "run-1", "case_id": "p-7"},
    "/api/v1/comparisons/amounts": {"baseline": "run-1", "candidate": "run-2"},
    "/api/v1/comparisons/versions": {
        "deployment": "bot",
        "set_name": "private",
        "baseline": "v1",
        "candidate": "v2",
    },
    "/api/v1/comparisons/case": {"baseline": "run-1", "candidate": "run-2", "case_id": "p-7"},
}
IDS = {
    "/api/v1/changes/{id}": "change-1",
    "/api/v1/changes/{id}/verdict": "change-1",
    "/api/v1/runs/{id}": "run-1",
    "/api/v1/runs/{id}/card": "run-1",
    "/api/v1/runs/{id}/resume": "run-1",
    "/api/v1/runs/{id}/cancel": "run-1",
    "/api/v1/schedules/{id}/pause": "nightly",
    "/api/v1/schedules/{id}/resume": "nightly",
    "/api/v1/schedules/{id}/run": "nightly",
    "/api/v1/tokens/{id}/rotate": "token-1",
    "/api/v1/tokens/{id}/revoke": "token-1",
    "/api/v1/findings/{id}": "finding-1",
    "/api/v1/alerts/{id}": "alert-1",
    "/api/v1/alerts/{id}/events": "alert-1",
    "/api/v1/alerts/{id}/message": "alert-1",
    "/api/v1/alerts/{id}/notifications": "alert-1",
    "/api/v1/alerts/{id}/diff": "alert-1",
    "/api/v1/alerts/{id}/evidence": "alert-1",
    "/api/v1/alerts/{id}/acknowledge": "alert-1",
    "/api/v1/alerts/{id}/unacknowledge": "alert-1",
    "/api/v1/alerts/{id}/resolve": "alert-1",
    "/api/v1/alerts/{id}/verdict": "alert-1",
    "/api/v1/silences/{id}": "silence-1",
    "/api/v1/silences/{id}/expire": "silence-1",
    "/api/v1/receivers/{name}/test": "console",
    "/api/v1/callbacks/pagerduty/{name}": "console",
    "/api/v1/callbacks/slack/{name}": "console",
    "/api/v1/rules/{name}/runbook": "SetStale",
    "/api/v1/reports/{id}": "traffic-report-1",
    "/api/v1/reports/{id}/page": "traffic-report-1",
    "/api/v1/compactions/{id}": "compaction-1",
    "/api/v1/dead_letters/{id}": "dead-1",
    "/api/v1/dead_letters/{id}/retry": "dead-1",
    "/api/v1/dead_letters/{id}/remove": "dead-2",
    "/api/v1/candidates/{id}": "candidate-1",
    "/api/v1/candidates/{id}/decisions": "candidate-1",
    "/api/v1/candidates/{id}/reviews": "candidate-1",
    "/api/v1/candidates/{id}/sheet": "candidate-1",
    "/api/v1/candidates/{id}/reproduction": "candidate-1",
    "/api/v1/reviews/{id}/undo": "review-1",
    "/api/v1/interactions/{id}": "call-of-turn-1",
    "/api/v1/turns/{id}": "turn-1",
    "/api/v1/turns/{id}/review": "turn-1",
    "/api/v1/judges/sentinels/{id}/remove": "sentinel-1",
    "/api/v1/rescores/{id}": "rescore-1",
    "/api/v1/results/imports/{id}": "import-1",
    "/api/v1/rescores/{id}/resume": "rescore-1",
    "/api/v1/failure-groups/{id}/accept": "group-1",
    "/api/v1/failure-groups/{id}/dismiss": "group-1",
}


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder, rescorer = tmp_path_factory.mktemp("house"), build_scorer("exact", {})
    uploads = ResultUploads(
        spool=Spool(folder / "spool"),
        limits=ImportLimits(max_bytes=1_000, max_files=1),
        progress=ImportProgress(),
    )
    with open_house(folder, tokens=tokens_for_roles(), rescorer_of=lambda *_: rescorer, uploads=uploads) as house:
        furnish(house, token_of(Role.OPERATE))
        with house.store.write() as tx:
            dead_letters.insert(tx, [dead_letter_of("dead-1"), dead_letter_of("dead-2")])
        order_backup(house)
        yield house


def order_backup(house: House) -> None:
    """Make a backup, and name it for the routes of one backup."""
    backup_id = house.backups.order("anna").id
    house.backups.run_ordered()
    IDS.update({f"/api/v1/backups/{{id}}{rest}": backup_id for rest in ("", "/chunk", "/discard")})


def dead_letter_of(id_: str) -> DeadLetter:
    return DeadLetter(id=id_, received_at=NOW, source="otlp", code="malformed", reason="no start", raw=b"{}")


def routes(house: House) -> Iterator[tuple[str, str, str | None]]:
    """Return method, path and required role of every route."""
    for path, operations in house.app.openapi()["paths"].items():
        for method, operation in operations.items():
            yield method.upper(), path, operation.get("x-role")


def call(house: House, method: str, path: str, token: str | None) -> int:
    url = path.replace("{id}", IDS.get(path, "")).replace("{name}", IDS.get(path, ""))
    body = {"json": BODIES[path]} if method == "POST" else {}
    return house.ask(method, url, token=token, params=QUERIES.get(path, {}), **body).status_code


def test_the_document_names_the_role_that_the_design_gives_each_route(furnished: House) -> None:
    for method, path, role in routes(furnished):
        expected = next((r for r, where in NEEDS.items() if (method, path) in where), "read")
        assert role == (None if (method, path) in OPEN else expected), (method, path)


@pytest.mark.parametrize("role", list(Role))
def test_a_role_opens_its_routes_and_no_others(furnished: House, role: Role) -> None:
    granted = EVERYTHING_BUT_REVEAL if role is Role.ADMIN else {role}
    for method, path, needed in routes(furnished):
        status = call(furnished, method, path, token_of(role))
        if (method, path) in SIGNED:
            assert status == 404, "the receiver has no secret"
        elif needed is None or needed in granted:
            expected = {200, 201, 202, 409} | ({404} if path == REMOVES else set())  # 409, 404: a second role did it
            assert status in expected, (method, path, status)
        else:
            assert status == 403, (method, path, status)


@pytest.mark.parametrize("token", [None, "wrong"])
def test_without_a_known_token_only_the_probes_answer(furnished: House, token: str | None) -> None:
    for method, path, _role in routes(furnished):
        refused = call(furnished, method, path, token) in (401, 429)  # 429: a wrong token was sent too often
        assert refused == ((method, path) not in OPEN), (method, path)


def test_a_missing_token_is_challenged_and_a_missing_role_is_named(guarded: House) -> None:
    unauthenticated = guarded.get("/api/v1/runs")
    assert unauthenticated.headers["www-authenticate"].startswith("Bearer")
    assert unauthenticated.json()["code"] == "unauthenticated"
    forbidden = guarded.get("/api/v1/runs", token=token_of(Role.INGEST))
    assert "'read'" in forbidden.json()["detail"]


def test_the_role_is_checked_before_the_body_is_looked_at(guarded: House) -> None:
    response = guarded.ask("POST", "/api/v1/interactions", content=b"{" * 100, headers={"Content-Type": "x/y"})
    assert response.status_code == 401


def test_no_token_appears_in_an_answer(guarded: House) -> None:
    for token in ("wrong-but-private", token_of(Role.INGEST)):
        response = guarded.get("/api/v1/runs", token=token)
        assert token not in response.text.replace("name of " + token, "")


def test_without_tokens_a_public_host_name_is_refused(house: House) -> None:
    response = house.ask("GET", "/api/v1/runs", headers={"Host": "evil.example"})
    assert (response.status_code, response.json()["code"]) == (403, "host_not_local")


def test_with_tokens_any_host_name_will_do(guarded: House) -> None:
    response = guarded.ask("GET", "/api/v1/runs", token=token_of(Role.READ), headers={"Host": "driftd.example"})
    assert response.status_code == 200
