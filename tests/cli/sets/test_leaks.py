"""Terminal output of a leak check."""

from monitor.api.schema import LeakItem, LeaksFound
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon


def find(n: int) -> LeakItem:
    return LeakItem(
        set_name="primes",
        case_id=f"p{n % 70}",
        kind="copy" if n % 2 else "near copy",
        similarity=0.9,
        location=f"asked in interaction-{n}",
        line=1,
    )


def found(count: int) -> LeaksFound:
    return LeaksFound(sets=["primes"], calls=1000, texts=0, recognized=3, leaks=[find(n) for n in range(count)])


def test_the_summary_comes_first_and_the_list_is_short(daemon: Daemon, run: Run) -> None:
    daemon.respond("POST /api/v1/sets/leaks", found(350))
    result = run("sets", "leakcheck", "--url", daemon.url)
    lines = result.out.splitlines()
    assert result.code == 1
    assert lines[0] == "searched for primes in 1000 production calls and 0 parts of files"
    assert lines[1] == "3 calls contained a sealed question; they are not counted as traffic"
    assert lines[2] == "350 matches of 70 cases:"
    assert [line.split() for line in lines[4:6]] == [
        ["primes", "copy", "175", "35", "175"],
        ["primes", "near", "copy", "175", "35", "175"],
    ]
    assert len(lines) == 29
    assert lines[-1] == "330 more matches; --all lists all"


def test_all_lists_every_find(daemon: Daemon, run: Run) -> None:
    daemon.respond("POST /api/v1/sets/leaks", found(350))
    out = run("sets", "leakcheck", "--all", "--url", daemon.url).out
    assert sum("asked in interaction-" in line for line in out.splitlines()) == 350
    assert "more finds" not in out


def test_json_has_every_find(daemon: Daemon, run: Run) -> None:
    daemon.respond("POST /api/v1/sets/leaks", found(350))
    assert len(run("sets", "leakcheck", "--json", "--url", daemon.url).document["leaks"]) == 350
