"""Text from outside, displayed literally: never as Markdown and never as HTML."""

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboards.palette import colours
from dashboards.word_diff import WordDiff, as_html, diff_words, escaped

MOST_CHARACTERS = 20_000  # characters of one text, about ten screens

# Differences are visible without colour: removed words have a dashed underline, added words a solid one. The colours
# are half transparent, so that the text is readable on light and dark.
STYLE = """<style>
.driftd-text {{ white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid {grid}; border-radius: 0.5rem;
  padding: 0.6rem 0.8rem; max-height: 28rem; overflow-y: auto; line-height: 1.5; unicode-bidi: isolate; }}
.driftd-text del {{ background: #d55e0033; text-decoration: underline dashed #d55e00; }}
.driftd-text ins {{ background: #0072b233; text-decoration: underline #0072b2; }}
</style>"""


def show_style() -> None:
    """Add the style of the texts, once per page and before the first text."""
    st.html(STYLE.format(grid=colours().grid))


def show_text(where: DeltaGenerator, text: str) -> None:
    _show(where, escaped(_cut(text)), len(text))


def show_both(left: DeltaGenerator, right: DeltaGenerator, before: str, after: str) -> None:
    """Show two texts and mark the words that the other text lacks."""
    diff: WordDiff = diff_words(_cut(before), _cut(after))
    columns: tuple[tuple[DeltaGenerator, str, Literal["del", "ins"]], ...] = (
        (left, before, "del"),
        (right, after, "ins"),
    )
    for (where, text, element), spans in zip(columns, (diff.before, diff.after), strict=True):
        _show(where, as_html(spans, element), len(text))
    if diff.coarse:
        left.caption("The answers are too long and repetitive for a word diff: all that may differ is marked.")


def _show(where: DeltaGenerator, inside: str, length: int) -> None:
    if not length:
        where.caption("Empty text.")
        return
    # A long text scrolls, so the keyboard must reach it.
    where.html(f'<div class="driftd-text" tabindex="0">{inside}</div>')
    if length > MOST_CHARACTERS:
        where.caption(f"The first {MOST_CHARACTERS:,} of {length:,} characters.")


def _cut(text: str) -> str:
    return text[:MOST_CHARACTERS]
