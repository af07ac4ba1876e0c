"""PyYAML's problems as sentences that describe the correction."""

import re
from collections.abc import Sequence

_SENTENCES: Sequence[tuple[str, str]] = (
    (r"found character '\\t' that cannot start any token", "a tab indents this line; use spaces"),
    (r"found character (?P<what>.+) that cannot start any token", "a value cannot begin with {what}; put it in quotes"),
    (r"mapping values are not allowed", "a ':' is not expected here; put the text in quotes, or check the indentation"),
    (r"could not find expected ':'", "a ':' is missing after a key"),
    (r"expected <block end>", "the indentation does not fit the lines above; align the keys of one section"),
    (r"expected ',' or '\]'", "a list in [ ] is not closed, or a comma is missing"),
    (r"expected ',' or '\}'", "a section in {{ }} is not closed, or a comma is missing"),
    (r"found unexpected end of stream", "a quoted text is not closed"),
    (r"found unexpected document separator", "a quoted text is not closed before '---'"),
    (r"found undefined alias (?P<what>.+)", "alias {what} is not defined above; write the value out"),
    (r"could not determine a constructor for the tag (?P<what>.+)", "tag {what} is not supported; remove it"),
    (r"found undefined tag handle (?P<what>.+)", "tag {what} is not supported; remove it"),
    (
        r"found unknown escape character (?P<what>.+)",
        "\\ before {what} is not an escape; use single quotes for the text",
    ),
    (r"expected (URI )?escape sequence", "a \\ begins an escape that is not complete; use single quotes for the text"),
    (r"found duplicate anchor (?P<what>[^;]+)", "anchor {what} is defined twice; rename one"),
    (r"expected a mapping or list of mappings for merging", "'<<' merges sections only; name one with *NAME"),
    (r"expected a mapping for merging", "'<<' merges sections only; name one with *NAME"),
    (r"but found another document", "a second document begins here ('---'); keep one"),
    (r"found unhashable key", "a key must be a text, not a list or a section"),
    (r"sequence entries are not allowed", "a list entry ('- ') is not expected here; begin it on a line of its own"),
    (r"did not find expected", "the indentation does not fit the lines above; align the keys of one section"),
    (r"expected the node content", "a value is missing here"),
    (
        r"expected alphabetic or numeric character",
        "a name after & or * is missing; put the text in quotes",
    ),
    (r"while scanning a directive|found unknown directive|%YAML", "a '%' begins a directive; put the text in quotes"),
    (r"anchors and aliases are not read", "anchors and aliases are not read; write the value out"),
)
UNKNOWN = "the text is not valid YAML; check quotes, colons and indentation"
_CHARACTER = re.compile(r"unacceptable character #x(?P<code>[0-9a-fA-F]+)")


def in_words(problem: str | None) -> str:
    """Return what is wrong and what to do.

    >>> in_words("mapping values are not allowed here")
    "a ':' is not expected here; put the text in quotes, or check the indentation"
    """
    for pattern, sentence in _SENTENCES:
        if found := re.search(pattern, problem or ""):
            return sentence.format(**found.groupdict()).replace("tag:yaml.org,2002:", "!!")
    return UNKNOWN


def character_in_words(message: str) -> str:
    """Return the sentence for a character that YAML does not allow."""
    found = _CHARACTER.search(message)
    code = f"U+{int(found['code'], 16):04X} " if found else ""
    return f"character {code}is not allowed in YAML; remove it"
