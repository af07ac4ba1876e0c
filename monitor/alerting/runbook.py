"""The runbook pages, one for each alerting rule."""

from pathlib import Path

from monitor.domain.rules import RULES

_INSTALLED = Path(__file__).parent / "runbooks"  # in the wheel
_SOURCE = Path(__file__).parents[2] / "docs" / "runbooks"  # in a checkout


def runbook(rule: str) -> str | None:
    """Return the page of a rule as Markdown; None for an unknown rule."""
    if rule not in RULES:
        return None
    folder = _INSTALLED if _INSTALLED.is_dir() else _SOURCE
    return (folder / f"{rule}.md").read_text(encoding="utf-8")
