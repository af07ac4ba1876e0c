"""What a page of Markdown says in code: its fences, its inline code and its links."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("docs/runbooks/*.md"),
        *ROOT.glob("examples/*/README.md"),
    ]
)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_COMMENT = re.compile(r"\s+#\s.*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    language: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`prose` is what stands outside of the fences."""

    path: Path
    prose: str
    fences: tuple[Fence, ...]

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def inline(self) -> list[str]:
        return [found for line in self.prose.splitlines() for found in _INLINE.findall(line)]

    @property
    def links(self) -> list[str]:
        return [link for link in _LINK.findall(self.prose) if not link.startswith(("http://", "https://"))]

    @property
    def anchors(self) -> set[str]:
        heads = [line.lstrip("#").strip().lower() for line in self.prose.splitlines() if line.startswith("#")]
        return {re.sub(r"[^\w -]", "", head).replace(" ", "-") for head in heads}

    def fences_of(self, *languages: str) -> list[str]:
        return [fence.text for fence in self.fences if fence.language in languages]

    @property
    def shell(self) -> list[str]:
        """The lines of fences without a language, continued lines joined, comments taken off."""
        text = "\n".join(self.fences_of("", "sh")).replace("\\\n", " ")
        return [_COMMENT.sub("", line).strip() for line in text.splitlines()]

    def commands(self, first: str) -> list[str]:
        """The shell lines that begin with this word."""
        return [line for line in self.shell if line.split(" ", 1)[0] == first]


@cache
def read(path: Path) -> Page:
    prose: list[str] = []
    fences: list[Fence] = []
    inside: list[str] | None = None
    language = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            if inside is None:
                inside, language = [], line.removeprefix("```").strip()
            else:
                fences.append(Fence(language=language, text="\n".join(inside)))
                inside = None
        elif inside is None:
            prose.append(line)
        else:
            inside.append(line)
    assert inside is None, f"{path}: a fence is not closed"
    return Page(path=path, prose="\n".join(prose), fences=tuple(fences))
