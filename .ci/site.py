# ruff: noqa: INP001 - MkDocs loads this file by its path
"""What MkDocs needs beyond mkdocs.yml: pages from outside docs/, and links as GitHub resolves them.

README.md becomes the home page. CHANGELOG.md, SECURITY.md, CONTRIBUTING.md, the pages of the chart and README.md of
each example are pages below repository/. A link to one of them is changed to its place on the site. A link to any
other file of the repository becomes plain text, because the site does not contain the code.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
OUTSIDE = ("CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "helm/driftd/*.md", "examples/*/README.md")
HOME = "index.md"
LINK = re.compile(r"(?P<mark>!?)\[(?P<text>[^\]]*)\]\((?P<path>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def on_config(config: Any) -> Any:
    """Put every runbook into the navigation."""
    names = sorted(path.name for path in (ROOT / "docs" / "runbooks").glob("*.md"))
    names.sort(key=lambda name: name != "README.md")
    _fill(config["nav"], [{Path(name).stem.replace("README", "All rules"): f"runbooks/{name}"} for name in names])
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages from outside docs/."""
    for place, path in _outside().items():
        if path.suffix == ".md":
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Change the links of a page to places on the site."""
    place = page.file.src_uri
    source = _outside().get(place) or ROOT / "docs" / place
    parts, start = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [_linked(markdown[start : fence.start()], source, place), fence[0]]
        start = fence.end()
    return "".join([*parts, _linked(markdown[start:], source, place)])


def _outside() -> dict[str, Path]:
    """Return the pages from outside docs/ by their place on the site."""
    found = {f"repository/{path.relative_to(ROOT)}": path for pattern in OUTSIDE for path in sorted(ROOT.glob(pattern))}
    return {HOME: ROOT / "README.md", **found}


def _linked(text: str, source: Path, place: str) -> str:
    def changed(match: re.Match[str]) -> str:
        target = (source.parent / match["path"]).resolve()
        if not target.exists() or not target.is_relative_to(ROOT):
            return match[0]  # MkDocs names it
        where = _place_of(target)
        if where is None:
            return match["text"]
        path = posixpath.relpath(where, posixpath.dirname(place) or ".")
        return f"{match['mark']}[{match['text']}]({path}{match['anchor'] or ''})"

    return LINK.sub(changed, text)


def _place_of(target: Path) -> str | None:
    """Return the place of a file on the site; None when the site does not contain it."""
    docs = ROOT / "docs"
    if target.is_relative_to(docs) and target.is_file():
        return str(target.relative_to(docs))
    return next((place for place, path in _outside().items() if path == target), None)


def _fill(nav: Any, runbooks: list[dict[str, str]]) -> None:
    for entry in nav:
        for key, inner in entry.items() if isinstance(entry, dict) else ():
            if inner == ["RUNBOOKS"]:
                entry[key] = runbooks
            elif isinstance(inner, list):
                _fill(inner, runbooks)
