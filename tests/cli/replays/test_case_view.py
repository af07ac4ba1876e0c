"""`driftd replay show RUN --case ID`."""

from typing import Any

from monitor.api.schema import CaseItem, ListPage, OutcomeItem, ScoreItem
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.items import AT, case, run_item

TURNS = ["Write a poem.\nAbout the sea.", "Shorter."]


def outcome(**fields: Any) -> OutcomeItem:
    score = ScoreItem(
        scorer="must",
        metric="must",
        scorer_version="1",
        value=1.0,
        label="pass",
        failure_category="none",
        reason="has the sea",
    )
    return OutcomeItem(
        **{
            "run_id": "run-1", "case_id": "poem", "sample": 0, "started_at": AT, "attempts": 1, "text": "Sea.",
            "latency_ms": 1.0, "finish_reason": "stop", "model": "m", "input_tokens": 1, "output_tokens": 1,
            "cost_usd": None, "error_class": None, "scores": [score], **fields,
        }
    )  # fmt: skip


def show(daemon: Daemon, run: Run, shown: CaseItem, *outcomes: OutcomeItem) -> str:
    daemon.respond("GET /api/v1/runs/run-1", run_item())
    daemon.respond("GET /api/v1/cases", ListPage[CaseItem](items=[shown], next_cursor=None))
    daemon.respond("GET /api/v1/outcomes", ListPage[OutcomeItem](items=[*outcomes], next_cursor=None))
    result = run("replay", "show", "run-1", "--case", "poem", "--reveal", "--url", daemon.url)
    assert result.code == 0
    return result.out


def test_every_turn_is_shown_with_its_answer(daemon: Daemon, run: Run) -> None:
    shown = case(id="poem", turns=TURNS, input=[{"role": "user", "content": text} for text in TURNS])
    out = show(daemon, run, shown, outcome(turns=["The sea\nis wide.", "Sea."]))
    assert out.splitlines()[3:] == [
        "  turn 1:",
        "    Write a poem.",
        "    About the sea.",
        "  answer:",
        "    The sea",
        "    is wide.",
        "  turn 2:",
        "    Shorter.",
        "  answer:",
        "    Sea.",
        "  1 ms",
        "  must: pass (1) has the sea",
    ]


def test_a_failed_sample_and_a_case_that_is_asked_at_once(daemon: Daemon, run: Run) -> None:
    shown = case(id="poem", input=[{"role": "user", "content": "Write a poem."}])
    out = show(daemon, run, shown, outcome(), outcome(sample=1, text=None, error_class="timeout", scores=[]))
    assert "  user:\n    Write a poem.\n" in out
    assert "sample 0\n  answer:\n    Sea.\n" in out
    assert out.endswith("sample 1\n  no answer: timeout\n")


def test_sealed_texts_are_named_as_such(daemon: Daemon, run: Run) -> None:
    out = show(daemon, run, case(id="poem"), outcome(text=None))
    assert out.count("sealed; --reveal shows it") == 2


def test_a_case_that_the_run_does_not_have_is_an_error(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/runs/run-1", run_item())
    daemon.respond("GET /api/v1/cases", ListPage[CaseItem](items=[], next_cursor=None))
    result = run("replay", "show", "run-1", "--case", "gone", "--url", daemon.url)
    assert result.code != 0
    assert "run 'run-1' has no case 'gone'" in result.err
