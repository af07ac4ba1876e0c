"""Finds the choice that a reply states as its answer, without a marker from the prompt."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from replay.evalsets.canonical import question_text

_OPENING, _CLOSING = r"[\s*_`\"'“”‘’(\[{<\\$]*", r"[\s*_`\"'“”‘’)\]}>.!,;:$]*"
_NOUN = r"(?:answer|choice|option|verdict|conclusion|solution|alternative|response)"
_VERB = r"(?:choos(?:e|ing)|chose|pick(?:ing|ed)?|select(?:ing|ed)?|go(?:ing)? (?:with|for)|vote for|settle on)"
_LINK = r"(?:\b(?:is|was|be|are)\b|[:=]|->|→)"
_KIND = r"(?:the )?(?:option|choice|answer|letter)\b"
_NOT_BEFORE = (
    r"(?:\bnot|\bneither|\bnor|\bnever|n't(?: be)?|\brather than|\binstead of|\bunlike|\brule[sd]? out|\bexcept)"
)
_NOT_AFTER = (
    r"\W{0,3}(?:is|are|was|were|would be)"
    r"(?: (?:not\b|wrong|incorrect|false|out\b|ruled out|impossible)|n't\b)"
)
_WORDS = frozenset({"a", "i"})  # letters that are words of English too
_LOOKAHEAD = 32
_ENDS = re.compile(r"\s*(?:$|[.,;:!?)\]}*_`\"'”’])")
_GOES_ON = re.compile(r"\s+(?!(?:is|was|would|must|seems|looks|fits|or|and|nor|but|because|since|as)\b)[^\W\d_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedChoice:
    """Finds the stated choice by the first rule that applies: the whole reply; a sentence that states the answer ("the
    answer is B", the last one if there are several); the beginning or the end of the reply ("B, because", "so: B");
    a choice in brackets, quotes or bold; a word of its own.

    Choices that the reply rules out ("not A", "A is wrong") do not count. A single letter counts as a word only in the
    case of `choices`, and "A" or "I" not if it is a word of the sentence.
    """

    stated: re.Pattern[str]
    whole: re.Pattern[str]
    leading: re.Pattern[str]
    trailing: re.Pattern[str]
    marked: re.Pattern[str]
    word: re.Pattern[str]
    ruled_out: re.Pattern[str]
    spellings: frozenset[str]  # of single letters, as they are written in `choices`

    @classmethod
    def of(cls, choices: Sequence[str], *, ignore_case: bool) -> Self:
        flags = re.IGNORECASE if ignore_case else re.NOFLAG
        # The longest first: otherwise "No" would match the start of "No idea".
        either = "|".join(re.escape(question_text(choice)) for choice in sorted(choices, key=len, reverse=True))
        word = rf"(?<!\w)(?:{either})(?!\w)"
        choice, opening = f"(?P<choice>{word})", rf"{_OPENING}(?:(?i:{_KIND}){_OPENING})?"
        states = rf"(?:\b(?i:{_NOUN})\b[^.!?\n]{{0,80}}?(?i:{_LINK})|\b(?i:{_NOUN}|{_VERB})\b)"
        ruled_before = rf"(?i:{_NOT_BEFORE})\W{{1,3}}(?:(?i:{_KIND})\W{{1,3}})?{choice}"
        ruled_after = rf"(?P<wrong>{word})(?i:{_NOT_AFTER})"
        return cls(
            stated=re.compile(rf"{states}{opening}(?:text\{{)?{choice}", flags),
            whole=re.compile(rf"{opening}{choice}{_CLOSING}", flags),
            leading=re.compile(rf"[\s*_`]*{choice}(?=\s*(?:[,.:;!)\]*—–\n]|-\s|$))", flags),
            trailing=re.compile(rf"[:=—–>→]{_OPENING}{choice}{_CLOSING}$", flags),
            marked=re.compile(rf"(?:[(\[{{\"“'‘`]|\*\*|__){choice}(?:[)\]}}\"”'’`]|\*\*|__)", flags),
            word=re.compile(choice, flags),
            ruled_out=re.compile(f"{ruled_before}|{ruled_after}", flags),
            spellings=frozenset(text for text in map(question_text, choices) if len(text) == 1 and text.isalpha()),
        )

    def find(self, reply: str) -> frozenset[str]:
        """Return the choices that the reply states, case folded: one, none, or several without a decision."""
        text = question_text(reply)
        if whole := self.whole.fullmatch(text):
            return frozenset({whole["choice"].casefold()})
        out = {match.end("choice" if match["choice"] else "wrong") for match in self.ruled_out.finditer(text)}
        stated = [match for match in self.stated.finditer(text) if match.end("choice") not in out]
        if named := [match for match in stated if self._names(match, text, stated=True)]:
            return frozenset({named[-1]["choice"].casefold()})
        for match in (self.leading.match(text), self.trailing.search(text)):
            if match is not None and match.end("choice") not in out:
                return frozenset({match["choice"].casefold()})
        for pattern in (self.marked, self.word):
            matches = (match for match in pattern.finditer(text) if match.end("choice") not in out)
            found = frozenset(match["choice"].casefold() for match in matches if self._names(match, text))
            if found:
                return found
        return frozenset()

    def _names(self, match: re.Match[str], text: str, *, stated: bool = False) -> bool:
        """Return whether this is the choice and not a word with the same spelling: "a rule", "A good question", "I
        think".
        """
        stated_text, behind = match["choice"], text[match.end("choice") : match.end("choice") + _LOOKAHEAD]
        if len(stated_text) > 1 or not stated_text.isalpha():
            return True
        ends = _ENDS.match(behind) is not None
        if stated_text not in self.spellings:  # "b" where the choice is "B"
            return ends and (stated or stated_text.casefold() not in _WORDS)
        if stated_text.casefold() not in _WORDS or ends or (stated and stated_text.isupper()):
            return True
        return _GOES_ON.match(behind) is None
