"""docs/cli.md is generated from the program and is current."""

from pathlib import Path

from monitor.cli import describe

ROOT = Path(__file__).parents[2]


def test_the_page_is_current() -> None:
    assert describe.main(["--check", "--folder", str(ROOT / "docs")]) == 0, "run python -m monitor.cli.describe"


def test_every_command_and_every_own_option_is_on_the_page() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for one in describe.commands():
        assert f"# driftd {' '.join(one.words)}\n" in page
        for option in one.options:
            assert f"`{option.opts[0]}`" in page
