"""docs/cli.md is generated from the program and is current."""

from pathlib import Path

import pytest

from monitor.cli import describe

ROOT = Path(__file__).parents[2]


def test_the_page_is_current() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == describe.markdown(), (
        "run python -m monitor.cli.describe"
    )


def test_every_command_and_every_own_option_is_on_the_page() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for one in describe.commands():
        assert f"# driftd {' '.join(one.words)}\n" in page
        for option in one.options:
            assert f"`{option.opts[0]}`" in page


def test_a_stale_page_is_named_and_then_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "cli.md"
    page.write_text("old")
    assert describe.main(["--check", "--page", str(page)]) == 1
    assert "is stale; run python -m monitor.cli.describe" in capsys.readouterr().err
    assert describe.main(["--page", str(page)]) == 0
    assert describe.main(["--check", "--page", str(page)]) == 0
