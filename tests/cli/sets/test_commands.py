import json
from pathlib import Path

from monitor.api.schema import ImportResult, ListPage, UnscoredCase
from replay.evalsets.sealing import KEY_BYTES, load_key
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.items import case, eval_set


def test_a_key_is_written_once_and_for_its_owner_alone(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "primes.key"
    result = run("sets", "key", path)
    assert result.code == 0
    assert len(load_key(path.read_text())) == KEY_BYTES
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().strip() not in result.out + result.err


def test_a_key_is_never_replaced(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "primes.key"
    run("sets", "key", path)
    before = path.read_text()
    result = run("sets", "key", path)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"{path} exists already; choose another path; a key is never replaced\n"
    assert path.read_text() == before


def test_a_key_needs_a_folder(run: Run, tmp_path: Path) -> None:
    result = run("sets", "key", tmp_path / "gone" / "k")
    assert (result.code, result.err) == (2, f"{tmp_path}/gone/k cannot be written: No such file or directory\n")


def test_two_keys_differ(run: Run, tmp_path: Path) -> None:
    run("sets", "key", tmp_path / "a")
    run("sets", "key", tmp_path / "b")
    assert (tmp_path / "a").read_text() != (tmp_path / "b").read_text()


def test_a_file_of_cases_is_imported(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "primes.jsonl"
    path.write_text('{"id": "p1", "input": "Is 7 prime?", "reference": "yes"}\n')
    daemon.respond("POST /api/v1/sets", ImportResult(name="primes", revision="ab" * 32, cases=1, new=True), status=201)
    result = run("sets", "import", "primes", path, "--url", daemon.url)
    assert (result.code, result.out) == (0, "primes: revision abababababab, 1 cases, new\n")
    sent = daemon.writes[0].body
    assert (sent["name"], sent["origin"], sent["cases"][0]["references"]) == ("primes", "primes.jsonl", ["yes"])


def test_an_import_warns_of_cases_that_are_never_scored(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "primes.jsonl"
    path.write_text('{"id": "p1", "input": "Is 7 prime?", "rubric": "Is it kind?"}\n')
    unscored = [UnscoredCase(case_id=f"p{n}", reason="is never scored: exact: no reference") for n in range(25)]
    done = ImportResult(name="primes", revision="ab" * 32, cases=30, new=True, unscored=unscored)
    daemon.respond("POST /api/v1/sets", done, status=201)
    out = run("sets", "import", "primes", path, "--url", daemon.url).out
    assert "warning: 25 of 30 cases are never scored by the scorers of primes" in out
    assert "p19   is never scored: exact: no reference" in out
    assert "and 5 more; --json lists all" in out


def test_a_line_that_is_no_case_is_named(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "primes.jsonl"
    path.write_text('{"id": "p1", "input": "Is 7 prime?"}\n{"id": "p2"}\n')
    result = run("sets", "import", "primes", path, "--url", daemon.url)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("primes.jsonl line 2: ")
    assert daemon.writes == []


def test_an_unknown_set_is_answered_with_the_known_ones(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "primes.jsonl"
    path.write_text('{"id": "p1", "input": "Is 7 prime?"}\n')
    daemon.refuses("POST /api/v1/sets", 404, "eval set 'primse' is unknown; known: primes")
    result = run("sets", "import", "primse", path, "--url", daemon.url)
    assert (result.code, result.err) == (2, "eval set 'primse' is unknown; known: primes\n")


def test_the_list_has_the_current_revision_of_each_set(daemon: Daemon, run: Run) -> None:
    revisions = [eval_set(revision="new"), eval_set(name="extra", revision="e"), eval_set(revision="old")]
    daemon.respond("GET /api/v1/sets", ListPage(items=revisions, next_cursor=None))
    result = run("sets", "list", "--url", daemon.url, "--json")
    assert [s["revision"] for s in result.document["items"]] == ["new", "e"]
    assert len(run("sets", "list", "--limit", "1", "--url", daemon.url, "--json").document["items"]) == 1


def test_a_set_is_shown_with_its_revisions_and_categories(daemon: Daemon, run: Run) -> None:
    daemon.respond(
        "GET /api/v1/sets", ListPage(items=[eval_set(revision="new"), eval_set(revision="old")], next_cursor=None)
    )
    cases = [case(id="1"), case(id="2", category="composite"), case(id="3")]
    daemon.respond("GET /api/v1/cases", ListPage(items=cases, next_cursor=None))
    lines = run("sets", "show", "primes", "--url", daemon.url).out.splitlines()
    assert [line.split()[2] for line in lines[:3]] == ["revision", "new", "old"]
    assert [line.split() for line in lines[4:]] == [["category", "cases"], ["composite", "1"], ["prime", "2"]]


def test_a_set_without_a_revision_is_unknown(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/sets", ListPage(items=[eval_set()], next_cursor=None))
    result = run("sets", "show", "primse", "--url", daemon.url)
    assert (result.code, result.err) == (2, "eval set 'primse' is unknown; known: primes\n")


def test_no_set_at_all_is_a_sentence_or_an_empty_list(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/sets", ListPage(items=[], next_cursor=None))
    assert run("sets", "list", "--url", daemon.url).out == "no set yet\n"
    assert json.loads(run("sets", "list", "--url", daemon.url, "--json").out) == {"items": [], "next_cursor": None}
