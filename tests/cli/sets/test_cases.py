"""`driftd sets cases` and `driftd sets case`."""

from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.dashboards.cases import history_of, replies_of, trends_of
from tests.dashboards.fake_daemon import FakeDaemon

TRENDS, HISTORY, REPLIES = (f"GET /api/v1/cases/{name}" for name in ("trends", "history", "replies"))
SET = {"set_name": "primes"}


def test_the_cases_of_a_set_are_a_table_with_their_states(daemon: Daemon, run: Run) -> None:
    daemon.respond(TRENDS, trends_of(FakeDaemon(cases=2), SET))
    result = run("sets", "cases", "primes", "--state", "failing", "--order", "difficulty", "--url", daemon.url)
    assert result.code == 0
    assert result.out.startswith("2 cases, 5 runs on support-bot")
    assert "failing, newly failing" in result.out
    assert "fail: wrong_answer" in result.out
    asked = daemon.asked[-1].query
    assert (asked["set_name"], asked["state"], asked["order"]) == ("primes", "failing", "difficulty")


def test_one_case_has_its_figures_versions_and_answers(daemon: Daemon, run: Run) -> None:
    daemon.respond(HISTORY, history_of(FakeDaemon(), SET | {"case_id": "prime-0"}))
    out = run("sets", "case", "primes", "prime-0", "--url", daemon.url).out
    assert "20.0 %: 1 of 5 runs and 1 of 2 versions failed" in out
    assert "candidate candidate-7" in out
    assert "8 of 8" in out
    assert [line.split()[-1] for line in out.splitlines()[-5:]] == ["FF", "PP", "PP", "PP", "PP"]


def test_the_replies_of_a_run_have_texts_tool_calls_and_cost(daemon: Daemon, run: Run) -> None:
    daemon.respond(HISTORY, history_of(FakeDaemon(sealed=True), SET | {"case_id": "prime-0"}))
    asked = {"case_id": "prime-0", "run_id": "run-4", "reveal": "true"}
    daemon.respond(REPLIES, replies_of(FakeDaemon(sealed=True), asked))
    out = run("sets", "case", "primes", "prime-0", "--run", "run-4", "--reveal", "--url", daemon.url).out
    assert "No, says run-4." in out
    assert '{"by": 7}' in out
    assert "1,234 ms, 0.001250 USD" in out
    assert daemon.asked[-1].query["reveal"] == "true"


def test_sealed_replies_need_the_option(daemon: Daemon, run: Run) -> None:
    daemon.respond(HISTORY, history_of(FakeDaemon(sealed=True), SET | {"case_id": "prime-0"}))
    daemon.respond(REPLIES, replies_of(FakeDaemon(sealed=True), {"case_id": "prime-0", "run_id": "run-4"}))
    out = run("sets", "case", "primes", "prime-0", "--run", "run-4", "--url", daemon.url).out
    assert "sealed; --reveal shows it" in out
    assert "No, says" not in out
