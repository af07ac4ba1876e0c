import io
import sys
from datetime import UTC, datetime

import pytest

from monitor.cli.terminal.output import percent, points, print_facts, print_table, short, text
from monitor.cli.terminal.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_columns_are_plain_and_aligned_when_not_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "n"), [("a", 1), ("longer", None)], "nothing")
    assert capsys.readouterr().out == "name    n\na       1\nlonger  -\n"


def test_a_long_cell_is_never_cut_when_not_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("a", "b"), [("x" * 200, "y")], "nothing")
    assert "x" * 200 + "  y\n" in capsys.readouterr().out


def test_a_terminal_gets_a_table_and_brackets_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    print_table(("name", "text"), [("a", "[bold]x[/bold]")], "nothing")
    assert "[bold]x[/bold]" in screen.getvalue()
    assert "─" in screen.getvalue()


def test_no_rows_are_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("a",), [], "there is nothing")
    assert capsys.readouterr().out == "there is nothing\n"


def test_facts_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts([("a", 1), ("long name", None)])
    assert capsys.readouterr().out == "a          1\nlong name  -\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "-"),
        ("", "-"),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        ("two\nlines", "two\\nlines"),
        (datetime(2026, 11, 21, 2, 0, 5, 9, tzinfo=UTC), "2026-11-21 02:00:05Z"),
    ],
)
def test_a_cell_reads_on_one_line(value: object, expected: str) -> None:
    assert text(value) == expected


def test_shares_and_hashes_are_short() -> None:
    assert (percent(0.84), percent(None), percent(0.0)) == ("84.0 %", None, "0.0 %")
    assert (points(-0.338), points(0.05)) == ("-33.8", "+5.0")
    assert (short("ab" * 32), short(None)) == ("abababababab", None)


def test_progress_is_a_line_at_each_quarter_when_not_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("work") as advance:
        for done in range(101):
            advance(done, 100)
        advance(0, 0)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "work: 25 of 100\nwork: 50 of 100\nwork: 75 of 100\nwork: 100 of 100\n"


def test_progress_is_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress("work [x]") as advance:
        advance(5, 10)
    assert "work [x]" in screen.getvalue()
    assert "5/10" in screen.getvalue()
