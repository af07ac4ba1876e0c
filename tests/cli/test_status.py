"""`driftd status` against prepared answers, and in process without a daemon."""

from monitor.api.schema import ListPage
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.dashboards.overview_items import overview_item, regressed, replaying

ROUTE = "GET /api/v1/overview"


def test_each_deployment_is_a_row_with_its_state_and_the_interval_of_its_sets(daemon: Daemon, run: Run) -> None:
    daemon.respond(ROUTE, ListPage(items=[regressed("shop"), replaying("chat")], next_cursor=None))
    result = run("status", "--url", daemon.url)
    shop, chat, replay = result.out.splitlines()[1:]
    assert shop.split()[:3] == ["shop", "regression", "2026-03-07"]
    assert "51.0 %, -33.5 (-38.3 to -28.7)" in shop
    assert "no data" in shop, "the dynamic set has no scored night"
    assert "1 critical, 1 warning" in shop
    assert chat.split()[:3] == ["chat", "ok", "-"]
    assert replay == "chat: replay of primes, 320 of 880"
    assert (result.code, daemon.asked[-1].query) == (0, {"limit": "500"})


def test_what_a_set_measures_is_below_its_score(daemon: Daemon, run: Run) -> None:
    item = regressed("shop")
    sets = [one.model_copy(update={"measures": "Whether small primes are known."}) for one in item.sets[:1]]
    daemon.respond(ROUTE, ListPage(items=[item.model_copy(update={"sets": sets})], next_cursor=None))
    last = run("status", "--url", daemon.url).out.splitlines()[-1]
    assert last == f"{sets[0].set_name} measures: Whether small primes are known."


def test_the_exit_code_is_1_on_request_unless_every_deployment_is_ok(daemon: Daemon, run: Run) -> None:
    codes = {}
    for state in ("ok", "improvement", "stale", "no_data", "regression"):
        daemon.respond(ROUTE, ListPage(items=[overview_item("bot", state)], next_cursor=None))
        codes[state] = run("status", "bot", "--exit-code", "--url", daemon.url).code
    assert codes == {"ok": 0, "improvement": 0, "stale": 1, "no_data": 1, "regression": 1}
    assert daemon.asked[-1].query == {"limit": "500", "deployment": "bot"}


def test_the_json_has_everything(daemon: Daemon, run: Run) -> None:
    daemon.respond(ROUTE, ListPage(items=[regressed("shop")], next_cursor=None))
    [item] = run("status", "--url", daemon.url, "--json").document["items"]
    assert (item["deployment"], len(item["sets"][0]["nights"])) == ("shop", 30)
