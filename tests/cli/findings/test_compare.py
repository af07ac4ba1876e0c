import pytest

from monitor.api.schema import FlipItem, ListPage
from monitor.cli.findings.comparison import is_worse
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.items import category, comparison, flip


def test_a_drop_leaves_with_one(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/comparisons", comparison())
    result = run("compare", "run-1", "run-2", "--url", daemon.url)
    assert result.code == 1
    assert daemon.asked[-1].query == {"baseline": "run-1", "candidate": "run-2"}
    for part in ("84.0 % to 50.2 %", "-33.8 points", "-38.0 to -29.0", "477 to fail, 139 to pass, of 1000", "prime-9"):
        assert part in result.out


def test_json_is_the_comparison(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/comparisons", comparison())
    result = run("compare", "run-1", "run-2", "--url", daemon.url, "--json")
    assert (result.code, result.document["flipped_to_fail"]) == (1, 477)


def test_a_gain_leaves_with_nought(daemon: Daemon, run: Run) -> None:
    better = comparison(effect=0.338, flipped_to_fail=139, flipped_to_pass=477, categories=[])
    daemon.respond("GET /api/v1/comparisons", better)
    assert run("compare", "run-1", "run-2", "--url", daemon.url).code == 0


def flips(*items: FlipItem, cursor: str | None = None) -> ListPage[FlipItem]:
    return ListPage[FlipItem](items=list(items), next_cursor=cursor)


def test_cases_lists_every_flipped_case_with_both_verdicts(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/comparisons", comparison())
    mended = flip("prime-2", baseline="fail", candidate="pass")
    daemon.respond("GET /api/v1/comparisons/flips", flips(flip("prime-77"), cursor="more"), flips(mended))
    result = run("compare", "run-1", "run-2", "--cases", "--url", daemon.url)
    assert result.code == 1
    assert [line.split() for line in result.out.splitlines()[-2:]] == [
        ["prime-77", "prime", "high", "pass", "fail", "wrong_no"],
        ["prime-2", "prime", "high", "fail", "pass", "wrong_no"],
    ]
    assert daemon.asked[-1].query == {"baseline": "run-1", "candidate": "run-2", "limit": "500", "cursor": "more"}


def test_json_with_cases_is_the_comparison_and_its_cases(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/comparisons", comparison(flipped_to_fail=1, flipped_to_pass=0))
    daemon.respond("GET /api/v1/comparisons/flips", flips(flip("prime-77")))
    document = run("compare", "run-1", "run-2", "--cases", "--url", daemon.url, "--json").document
    assert (document["n"], [row["case_id"] for row in document["cases"]]) == (1000, ["prime-77"])
    assert daemon.asked[-1].query["limit"] == "1"


def test_where_nothing_flipped_no_cases_are_asked_for(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/comparisons", comparison(effect=0.0, p_value=1.0, flipped_to_fail=0, flipped_to_pass=0))
    result = run("compare", "run-1", "run-2", "--cases", "--url", daemon.url)
    assert "No case flipped." in result.out
    assert not [asked for asked in daemon.asked if asked.path.endswith("/flips")]


def test_an_unknown_run_leaves_with_two(daemon: Daemon, run: Run) -> None:
    daemon.refuses("GET /api/v1/comparisons", 404, "run 'x' is unknown")
    result = run("compare", "x", "y", "--url", daemon.url)
    assert (result.code, result.err) == (2, "run 'x' is unknown\n")


def test_a_missing_argument_leaves_with_two(run: Run) -> None:
    result = run("compare", "run-1")
    assert result.code == 2
    assert "RUN_B" in result.err


@pytest.mark.parametrize(
    ("overall", "categories", "worse"),
    [
        ((-0.1, 0.2), [], False),
        ((-0.1, 0.04), [], True),
        ((-0.1, 0.04), [category("a", 5, 5)], False),  # Holm: two tests share the 0.05
        ((0.1, 1e-9), [category("a", 20, 0)], True),  # a fall in one category behind an overall gain
        ((0.1, 1e-9), [category("a", 0, 20)], False),
    ],
)
def test_worse_is_a_significant_fall_overall_or_in_a_category(
    overall: tuple[float, float], categories: list[object], worse: bool
) -> None:
    effect, p_value = overall
    item = comparison(effect=effect, p_value=p_value, categories=categories)
    assert is_worse(item, 0.05) is worse
