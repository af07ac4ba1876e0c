"""axe-core in an open page: the serious and critical violations, by rule and by the Streamlit part that has them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.clients.matrix.node import npm_environment

AXE = Path(__file__).parent / "axe"
RUN = """async () => {
  const found = await axe.run(document, {resultTypes: ['violations']});
  return found.violations.filter((one) => ['serious', 'critical'].includes(one.impact)).flatMap((one) =>
    one.nodes.map((node) => ({
      rule: one.id,
      part: document.querySelector(node.target[0])?.closest('[data-testid]')?.dataset.testid ?? 'document',
      detail: node.html.slice(0, 200) + ' ' + node.failureSummary,
    })));
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """`part` is the `data-testid` of the closest part of Streamlit around the element."""

    rule: str
    part: str
    detail: str


def axe_source() -> str:
    """Return the script of the locked version."""
    return (npm_environment(AXE) / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, axe: str) -> list[Violation]:
    page.evaluate(axe)
    found: list[dict[str, Any]] = page.evaluate(RUN)
    return [Violation(**one) for one in found]
