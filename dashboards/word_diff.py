"""A word diff of two answers. Pure. No text of an answer is ever interpreted as markup."""

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, takewhile
from typing import Literal

# Tokens: runs of spaces, words, and single marks. Chinese and Japanese have no spaces, so each character is a token.
_TOKEN = re.compile(r"\s+|[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]")
AUTOJUNK_FROM = (
    200  # words: from this length on, difflib can skip words that make up a hundredth of a text, such as "the"
)
MOST_MATCHES = 100_000  # pairs of equal words to examine: at most a few seconds, usually far below one

# Invisible characters, and those that change the text direction, are displayed by their code point.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span of one text; `changed` when the other text lacks it here."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WordDiff:
    """The spans of both texts. The spans of one side, joined, are its text.

    `coarse` means that the texts are too long and repetitive for a diff in bounded time. Then everything between their
    common prefix and their common suffix is marked.
    """

    before: tuple[Span, ...]
    after: tuple[Span, ...]
    coarse: bool = False


def diff_words(before: str, after: str) -> WordDiff:
    """Both texts with their differences marked.

    >>> diff = diff_words("No, 7 is a prime.", "Yes, 7 is a prime.")
    >>> [span.text for span in diff.before if span.changed], [span.text for span in diff.after if span.changed]
    (['No'], ['Yes'])
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    head = _common(zip(old, new, strict=False))
    tail = _common(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    old_marks, new_marks, coarse = _marks(old_middle, new_middle)
    return WordDiff(
        before=_spans(old, [False] * head + old_marks + [False] * tail),
        after=_spans(new, [False] * head + new_marks + [False] * tail),
        coarse=coarse,
    )


def as_html(spans: Iterable[Span], element: Literal["del", "ins"]) -> str:
    """Return the spans as one line of HTML, each changed span inside `element`."""
    return "".join(f"<{element}>{escaped(s.text)}</{element}>" if s.changed else escaped(s.text) for s in spans)


def escaped(text: str) -> str:
    r"""Text as HTML that shows it letter by letter, on one line: ends of lines are character references.

    >>> escaped("<b>hi</b>\n\u202e")
    '&lt;b&gt;hi&lt;/b&gt;&#10;⟨U+202E⟩'
    """
    visible = _UNSEEN.sub(lambda found: f"\u27e8U+{ord(found[0]):04X}\u27e9", text.replace("\r\n", "\n"))
    return html.escape(visible).replace("\n", "&#10;")


def _common(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _marks(old: Sequence[str], new: Sequence[str]) -> tuple[list[bool], list[bool], bool]:
    """Return for each token of each side whether it differs, and whether the result is coarse."""
    old_marks, new_marks = [True] * len(old), [True] * len(new)
    popular = _matches(old, new) > MOST_MATCHES
    if popular and (len(new) < AUTOJUNK_FROM or _matches(old, new, rarer_than=len(new) // 100 + 2) > MOST_MATCHES):
        return old_marks, new_marks, True
    # Spaces and marks are junk for the matcher: they can extend a common block but never start one.
    for block in SequenceMatcher(_is_junk, old, new, popular).get_matching_blocks():
        old_marks[block.a : block.a + block.size] = [False] * block.size
        new_marks[block.b : block.b + block.size] = [False] * block.size
    return old_marks, new_marks, False


def _matches(old: Sequence[str], new: Sequence[str], rarer_than: int | None = None) -> int:
    """Return the number of pairs of equal words. The matcher examines them again for each difference."""
    counts = Counter(token for token in new if not _is_junk(token))
    return sum(counts[token] for token in old if token in counts and (rarer_than is None or counts[token] < rarer_than))


def _is_junk(token: str) -> bool:
    return not (token[0].isalnum() or token[0] == "_")


def _spans(tokens: Sequence[str], marks: Sequence[bool]) -> tuple[Span, ...]:
    def runs() -> Iterator[Span]:
        for changed, run in groupby(zip(tokens, marks, strict=True), key=lambda pair: pair[1]):
            yield Span(text="".join(token for token, _ in run), changed=changed)

    return tuple(runs())
