"""Words that driftd does not use in texts for people, each with the standard word. docs/glossary.md has the terms."""

import re
from collections.abc import Iterator, Mapping

DIALECT: Mapping[str, str] = {
    "anew": "again",
    "asked once more": "repeated",
    "behind it": "after it",
    "beside": "next to, with, in addition to",
    "crew": "workers",
    "exhibit": "traffic report",
    "exhibits": "traffic reports",
    "golden": "pinned",
    "hears": "is notified",
    "heard": "received",
    "lies": "is",
    "looked at": "examined, checked",
    "looked for": "searched",
    "mended": "fixed",
    "nobody": "no one, or name the actor",
    "of itself": "about itself",
    "purse": "budget",
    "put right": "corrected",
    "quiet nights": "nights without a change",
    "riddle": "question",
    "said": "reported, sent",
    "saying": "reporting",
    "says": "reports, contains",
    "shown of": "displayed",
    "so long": "for this time",
    "so many": "this many",
    "spoken of": "described",
    "stands": "is",
    "stood": "was",
    "stranger": "unidentified version",
    "tell": "report, show, notify",
    "telling": "reporting",
    "tells": "reports, shows",
    "told": "reported, notified",
    "twins": "duplicates",
    "whoever": "anyone who, the caller",
    "written anew": "compacted, rewritten",
}

_WORDS = re.compile(
    r"(?<![\w./-])(" + "|".join(re.escape(word) for word in sorted(DIALECT, key=len, reverse=True)) + r")(?![\w/-])",
    re.IGNORECASE,
)
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


def dialect_in(text: str) -> Iterator[str]:
    """Yield `word: standard word` for each word of the dialect in a text. Code in backticks is left out.

    >>> list(dialect_in("Tells who was told; `told` is a name."))
    ['Tells: reports, shows', 'told: reported, notified']
    """
    for found in _WORDS.finditer(_CODE.sub(" ", text)):
        word = found.group(1)
        yield f"{word}: {DIALECT[word.lower()]}"
