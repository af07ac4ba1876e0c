from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from monitor.api.schema import PassAtItem, RunCard, RunFindingItem, StratumFailuresItem, StratumItem
from monitor.cli.replays.run_card import html, markdown
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.items import run_item

MANIFEST: dict[str, Any] = {
    "run_id": "run-1",
    "target": {"model": "gpt-4", "seed": None, "base_url": "http://model.test/v1"},
    "reported": {"model": {"gpt-4-0314": 4}, "system_fingerprint": {}},
    "scorers": {"choice": "2"},
    "cost_usd": 0.25,
}


def card(**fields: Any) -> RunCard:
    return RunCard(
        **{
            "run": run_item(manifest=MANIFEST),
            "low": 0.3,
            "high": 0.954,
            "strata": [
                StratumItem(category="prime", severity="high", cases=4, scored=4, passed=3, low=0.3, high=0.954),
                StratumItem(category="even", severity="low", cases=2, scored=0, passed=0, low=None, high=None),
            ],
            "failures": [
                StratumFailuresItem(failure_category="format | <b>bold</b>", category="prime", severity="high", cases=1)
            ],
            "pass_at": [PassAtItem(k=5, cases=4, value=0.9, low=0.6, high=0.99)],
            "findings": [RunFindingItem(id="finding-1", verdict="ok", severity="info", reason="nothing moved")],
            **fields,
        }
    )


class Cells(HTMLParser):
    """The texts of a page, and its external resources."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.loads: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [f"{tag} {name}" for name, _ in attrs if name in {"src", "href"}]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_markdown_holds_every_condition_and_every_stratum() -> None:
    text = markdown(card())
    assert "3 of 4 scored cases passed, 75.0 % (30.0 to 95.4 %)" in text
    assert "| prime | high | 4 | 4 | 3 | 75.0 % | 30.0 to 95.4 % |" in text
    assert "| even | low | 2 | 0 | 0 | - | - |" in text
    assert "| format \\| &lt;b>bold&lt;/b> | prime | high | 1 |" in text
    assert "| 5 | 4 | 90.0 % | 60.0 to 99.0 % |" in text
    assert "| finding-1 | ok | info | nothing moved |" in text
    for line in (
        "| target.model | gpt-4 |",
        "| target.seed | none |",
        "| reported.model.gpt-4-0314 | 4 |",
        "| reported.system_fingerprint | none |",
        "| scorers.choice | 2 |",
        "| cost_usd | 0.25 |",
    ):
        assert line in text


def test_the_page_holds_the_same_and_loads_nothing() -> None:
    page = Cells(html(card()))
    assert page.open == []
    assert page.loads == []
    assert "format | <b>bold</b>" in page.texts
    assert {"target.model", "gpt-4", "scorers.choice", "nothing moved"} <= set(page.texts)


def test_a_run_without_answers_reports_it() -> None:
    failed = run_item(state="failed", scored=0, passed=0, pass_rate=None, version=None, version_label=None)
    text = markdown(card(run=failed, low=None, high=None, strata=[], failures=[], findings=[]))
    assert "No scored case. run-1, failed, answered by an unknown version." in text
    assert "This run has no verdict yet." in text
    assert "## Manifest" not in text


def test_the_command_prints_the_card_or_writes_the_page(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    daemon.respond("GET /api/v1/runs/run-1/card", card())
    assert run("report", "run-1", "--url", daemon.url).out == markdown(card()).rstrip() + "\n"
    assert run("report", "run", "run-1", "--url", daemon.url, "--json").document["run"]["id"] == "run-1"
    page = tmp_path / "card.html"
    assert run("report", "run-1", "--html", str(page), "--url", daemon.url).code == 0
    assert page.read_text(encoding="utf-8") == html(card())


def test_a_page_that_cannot_be_written_is_a_sentence(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    daemon.respond("GET /api/v1/runs/run-1/card", card())
    result = run("report", "run-1", "--html", str(tmp_path / "no" / "card.html"), "--url", daemon.url)
    assert result.code == 2
    assert "cannot be written (No such file or directory); choose another file" in result.err


def test_the_card_of_an_imported_run_names_the_tool_and_what_it_did_not_record() -> None:
    origin = {"imported_from": {"tool": "inspect-ai", "version": "0.3.285"}, "unknown_conditions": ["prompt", "cost"]}
    text = markdown(card(run=run_item(trigger="imported", manifest=MANIFEST | {"extra": origin})))
    assert "Imported from inspect-ai 0.3.285. Not recorded by the tool: prompt, cost." in text


def test_the_card_says_what_the_set_measures() -> None:
    found = card().model_copy(update={"measures": "Whether small <primes> are known."})
    assert "The set measures: Whether small <primes> are known." in markdown(found).split("##")[0]
    assert "The set measures: Whether small &lt;primes&gt; are known." in html(found)
    assert "measures" not in markdown(card()).split("##")[0]
