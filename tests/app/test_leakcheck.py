"""A search for a private set in traffic and files; its texts are in no log, file, response or URL."""

import gzip
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from monitor.cli.main import main
from monitor.store.findings import findings
from monitor.store.sets import revisions as evalsets
from tests.app.house import FROZEN, SETTLE_S, House, daemon
from tests.app.test_private_stays_private import log_call
from tests.telemetry.collector import collector

CASES = 30
COMMANDS = (
    ("sets", "leakcheck"),
    ("sets", "rotate", FROZEN),
    ("sets", "access", FROZEN),
    ("sets", "diff", FROZEN),
    ("sets", "show", FROZEN),
)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with daemon(tmp_path) as opened:
        opened.import_primes(CASES)
        yield opened


def run(house: House, capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main([*map(str, arguments), "--url", str(house.api.base_url)])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


def canary_of(house: House) -> str:
    with house.app.store.read() as tx:
        current = evalsets.current(tx, FROZEN)
    assert current is not None
    return current.canary


def in_other_words(question: str) -> str:
    """Return a near copy that ingest does not recognize as the exact question."""
    return "please tell me: " + question.replace("?", " ?!").replace("Think", "Now think")


def test_copies_in_traffic_are_found_by_the_case_and_the_call(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    question = house.data.questions[3].question
    log_call(house, in_other_words(question))
    log_call(house, "Is 86420 a lucky number, and where are you open on Sundays?")
    log_call(house, question)
    house.app.settle(SETTLE_S)
    code, out, _ = run(house, capsys, "sets", "leakcheck", "--json")
    found = json.loads(out)
    with house.app.store.read() as tx:
        current = evalsets.current(tx, FROZEN)
        assert current is not None
        expected = evalsets.cases(tx, FROZEN, current.revision)[3].case_id
    assert code == 1
    assert [(leak["case_id"], leak["location"].split()[0]) for leak in found["leaks"]] == [(expected, "asked")]
    assert (found["calls"], found["recognized"], found["sets"]) == (2, 1, [FROZEN])


def test_clean_traffic_is_clean(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    log_call(house, "Where are you open on Sundays?")
    house.app.settle(SETTLE_S)
    code, out, _ = run(house, capsys, "sets", "leakcheck", FROZEN)
    assert code == 0
    assert "no canary and no copy found" in out


def test_a_corpus_is_searched_with_its_places(house: House, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    (corpus / "deep").mkdir(parents=True)
    pages = ["nothing to see here, move along\n"] * 9000
    pages[7000] = f"an aside: {house.data.questions[5].question}\n"
    (corpus / "deep" / "pages.txt").write_text("".join(pages))
    with gzip.open(corpus / "crawl.jsonl.gz", "wt") as file:
        file.write(json.dumps({"text": f"exported {canary_of(house)}"}) + "\n")
    (corpus / "image.bin").write_bytes(bytes(range(256)) * 40)
    code, out, _ = run(house, capsys, "sets", "leakcheck", FROZEN, "--corpus", corpus, "--days", 0, "--json")
    leaks = {leak["kind"]: leak for leak in json.loads(out)["leaks"]}
    assert code == 1
    assert set(leaks) == {"canary", "copy"}
    assert leaks["canary"]["location"].endswith("crawl.jsonl.gz near line 1")
    found = re.search(r"pages\.txt near line (\d+)$", leaks["copy"]["location"])
    assert found is not None
    assert 6900 <= int(found[1]) <= 7001


def test_a_canary_in_a_corpus_opens_an_alert_and_a_question_of_a_user_does_not(
    house: House, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log_call(house, in_other_words(house.data.questions[3].question))
    assert run(house, capsys, "sets", "leakcheck")[0] == 1
    assert leak_findings(house) == []
    corpus = tmp_path / "crawl.txt"
    corpus.write_text(f"a page with {canary_of(house)}", encoding="utf-8")
    for _ in range(2):
        assert run(house, capsys, "sets", "leakcheck", FROZEN, "--corpus", corpus, "--days", 0)[0] == 1
    [reason] = leak_findings(house)
    assert f"found 1 copies or canaries of {FROZEN}" in reason


def leak_findings(house: House) -> list[str]:
    with house.app.store.read() as tx:
        found = findings.newest_of_conditions(tx).values()
    return [one.reason for one in found if one.rule == "SetLeaked"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nothing",), "frozen eval set 'nothing' is unknown; known: primes-private"),
        (("--corpus", "/nowhere/at/all"), "--corpus /nowhere/at/all: no such file or folder"),
        (("--corpus", "broken"), "broken.gz cannot be read"),
        (("--days", "-1"), "--days -1: must be 0 (no traffic) or more"),
    ],
)
def test_what_cannot_be_searched_is_one_sentence(
    house: House,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    monkeypatch.chdir(house.folder)
    (house.folder / "broken").mkdir()
    (house.folder / "broken" / "broken.gz").write_bytes(gzip.compress(b"text " * 5000)[:-20] + b"x" * 20)
    code, out, err = run(house, capsys, "sets", "leakcheck", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err


def test_nothing_private_is_in_a_log_a_trace_an_alert_a_url_an_answer_or_a_byte_of_the_file(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    urls: list[str] = []
    send = httpx.Client.send

    def watched(self: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        urls.append(str(request.url))
        return send(self, request, **options)

    monkeypatch.setattr(httpx.Client, "send", watched)
    caplog.set_level(logging.DEBUG)
    with collector() as endpoint, daemon(tmp_path, telemetry={"otlp_endpoint": endpoint.address}) as house:
        house.import_primes(CASES)
        house.replay()
        house.serve("gpt-4-0613")
        house.replay()
        house.api.post("/api/v1/sets", json={"name": FROZEN, "cases": [{"id": "x", "input": 3}]})
        told = "".join(json.dumps(house.listed(what)) for what in ("alerts", "findings", "runs", "notifications"))
        printed = "".join(out + err for command in COMMANDS for _, out, err in [run(house, capsys, *command)])
        printed += house.api.get("/metrics").text
        fired = [alert["state"] for alert in house.listed("alerts")]
        questions = [question.question for question in house.data.questions[:CASES]]
        canary = canary_of(house)
    everywhere = {
        "log": caplog.text,
        "urls": "\n".join(urls),
        "answers": told,
        "printed": printed,
        "console": (tmp_path / "console.txt").read_text(),
        "traces": b"".join(endpoint.bodies).decode("utf-8", "replace"),
    }
    assert fired == ["firing"]
    assert "FIRING" in everywhere["console"].upper()
    assert "sets/leaks" in everywhere["urls"]
    assert "replay.execute" in everywhere["traces"]
    secrets = [*questions, *(question.split("?")[0] for question in questions), canary]
    for place, text in everywhere.items():
        assert [secret for secret in secrets if secret in text] == [], place
    held = b"".join(path.read_bytes() for path in tmp_path.glob("driftd.duckdb*"))
    assert [question for question in questions if question.encode() in held] == []
