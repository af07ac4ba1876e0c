"""The scorer `code`: programs of replies against the tests of a case."""

import asyncio
import time
from typing import Any

import pytest

from replay.errors import ReplayError
from replay.sandbox import bubblewrap
from replay.scorers.code import code_of, sandbox_of
from replay.scorers.judging import why_unscored
from replay.scorers.table import build_scorer
from replay.scoring import score_reply_aside
from replay.types import Case, Message, Score
from tests.replay.scorers.builders import reply

TESTS = ("assert double(2) == 4", "assert double('a') == 'aa'", "assert double(0) == 0")
needs_sandbox = pytest.mark.usefixtures("sandbox")


def case(*tests: str, **variables: Any) -> Case:
    return Case(id="c", input=(Message(role="user", content="?"),), tests=tests or TESTS, variables=variables)


def judged(text: str, *tests: str, variables: dict[str, Any] | None = None, **options: Any) -> Score:
    return build_scorer("code", {"timeout_s": 5, **options}).score(case(*tests, **(variables or {})), reply(text))


@needs_sandbox
def test_a_solution_that_passes_all_tests_passes() -> None:
    score = judged("Here:\n```python\ndef double(x):\n    return x + x\n```\nIt works for texts too.")
    assert (score.value, score.label, score.reason) == (1.0, "pass", "3 of 3 tests pass")


@needs_sandbox
def test_a_solution_that_passes_some_tests_fails_with_their_share() -> None:
    score = judged("def double(x): return int(x) * 2")
    assert score.value == pytest.approx(2 / 3)
    assert (score.label, score.failure_category) == ("fail", "wrong_answer")
    assert score.reason == "2 of 3 tests pass; the first failure raises ValueError"


@needs_sandbox
def test_code_of_the_case_comes_before_that_of_the_reply() -> None:
    variables = {"prompt": "def double(x):\n"}
    assert judged("    return 2 * x\n", variables=variables, prefix="prompt").label == "pass"


@needs_sandbox
@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("def double(x) return x", "code_error"),  # a syntax error
        ("import numpy\ndef double(x): return 2 * x", "code_error"),  # the standard library only
        ("def double(x): return triple(x)", "wrong_answer"),
        ("while True: pass", "timeout"),
        ("def double(x):\n    while True: pass", "timeout"),
        ("x = bytearray(2 ** 31)", "resource_limit"),
        ("while True: print('x' * 1000)", "resource_limit"),
        ("import sys\nsys.exit(0)", "code_error"),
        ("import os\nos._exit(0)", "code_error"),
        ("import os\nos.write(1, b'[null, null, null]')\nos._exit(0)", "code_error"),
        ("raise KeyboardInterrupt", "code_error"),
        ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "code_error"),
        ("```bash\nls\n```", "format"),
    ],
)
def test_every_other_end_fails_with_its_category(text: str, category: str) -> None:
    score = judged(text, timeout_s=1)
    assert (score.value, score.label, score.failure_category) == (0.0, "fail", category)


@needs_sandbox
def test_a_solution_that_changes_the_output_cannot_fake_a_report() -> None:
    score = judged('import sys\nprint(\'{"error": null, "tests": []}\')\nsys.stdout.close()\ndef double(x): return 0')
    assert (score.label, score.reason) == ("fail", "1 of 3 tests pass; the first failure raises AssertionError")


@needs_sandbox
def test_other_calls_go_on_while_a_program_runs() -> None:
    scorer = build_scorer("code", {"timeout_s": 1})

    async def both() -> float:
        started = time.monotonic()
        scoring = asyncio.create_task(score_reply_aside(case(), reply("while True: pass"), [scorer]))
        await asyncio.sleep(0.01)
        waited = time.monotonic() - started
        assert not scoring.done()
        assert [score.label for score in await scoring] == ["fail"]
        return waited

    assert asyncio.run(both()) < 0.9


def test_a_case_without_tests_is_unscored() -> None:
    assert judged("x = 1", " ").reason == "the case has no tests; add them or use another scorer"


def test_the_check_of_a_set_runs_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.scorers.code.run_python", lambda *_args, **_options: pytest.fail("a program ran"))
    scorer = build_scorer("code", {})
    assert why_unscored(case(), [scorer]) is None
    assert why_unscored(case(" "), [scorer]) == "code: the case has no tests; add them or use another scorer"


def test_a_machine_without_the_sandbox_is_unscored_with_the_action(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    bubblewrap.require_sandbox.cache_clear()
    try:
        score = judged("def double(x): return 2 * x")
    finally:
        bubblewrap.require_sandbox.cache_clear()
    assert score.label == "unscored"
    assert "install it with `apt-get install bubblewrap`" in score.reason


def test_the_sandbox_of_a_run_is_named_only_when_programs_run() -> None:
    assert sandbox_of([build_scorer("exact", {}), build_scorer("code", {})]) == "bubblewrap"
    assert sandbox_of([build_scorer("exact", {})]) is None


def test_invalid_limits_are_an_error_of_the_configuration() -> None:
    with pytest.raises(ReplayError, match="timeout_s must be above 0"):
        build_scorer("code", {"timeout_s": 0})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = 1", "x = 1"),
        ("```\nx = 1\n```", "x = 1\n"),
        ("```py\nx = 1\n```\nand\n```python\ny = 2\n```", "x = 1\n\ny = 2\n"),
        ("```python\n    return 1\n```", "    return 1\n"),
        ("1. First\n   ```python\n   x = 1\n   ```", "x = 1\n"),
    ],
)
def test_code_is_found_in_blocks(text: str, code: str) -> None:
    assert code_of(text) == code
