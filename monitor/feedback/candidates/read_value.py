"""Reads the right value from the words of a user: "no, it should be 30 days". Nothing is derived; it is quoted."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

MOST_CHARS: Final = 4_000  # of a text; the fix is in its first sentences
_MONTH: Final = (
    r"jan\w*|feb\w*|mär\w*|mar\w*|apr\w*|mai|may|mayo|maio|maggio|jun\w*|jui\w*|jul\w*|aug\w*|aoû\w*|ago\w*|sep\w*|"
    r"set\w*|okt\w*|oct\w*|out\w*|ott\w*|nov\w*|dez\w*|dec\w*|dic\w*|déc\w*|giu\w*|lug\w*|gen\w*|fév\w*|fev\w*|avr\w*"
)
_UNIT: Final = (
    r"%|percent|prozent|euros?|eur|usd|dollars?|pounds?|chf|yen|days?|weeks?|months?|years?|hours?|minutes?|seconds?|"
    r"tage?n?|wochen?|monate?n?|jahre?n?|stunden?|minuten?|jours?|semaines?|mois|ans|heures?|días?|semanas?|meses|años|"
    r"horas?|dias?|anos|giorni|settimane|mesi|anni|ore|km|m|cm|mm|kg|g|mg|l|ml|gb|mb|°c|°f|am|pm|uhr"
)
_QUOTED: Final = (
    r"\"[^\"\n]{1,120}\"|“[^”\n]{1,120}”|„[^“”\n]{1,120}[“”]|«[^»\n]{1,120}»|`[^`\n]{1,120}`|「[^」\n]{1,120}」"
)
_DATE: Final = (
    rf"\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:de\s+|of\s+)?(?:{_MONTH})\b(?:,?\s+(?:de\s+)?\d{{4}})?|"
    rf"(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?"
)
_NUMBER: Final = rf"[-+]?[$€£¥]?\s?\d[\d.,:/-]*(?<![.,:/-])(?:\s?(?:{_UNIT})(?!\w))?(?:\s?[€$£])?"
_MARKER: Final = r"\[[^\]\n]{1,40}\]"
_NAME: Final = r"(?-i:[A-ZÀ-ÖØ-Þ][\w'’.-]*\w(?:\s+(?:(?:de|of|von|van|da|di|the)\s+)?[A-ZÀ-ÖØ-Þ][\w'’-]*){0,3})"
_VALUE: Final = rf"(?P<value>{_QUOTED}|{_MARKER}|{_DATE}|{_NUMBER}|{_NAME})"
_WRONG: Final = rf"(?:{_QUOTED}|{_MARKER}|{_DATE}|{_NUMBER}|{_NAME})"
_NOT: Final = r"not|nicht|pas|no|non|não|nao|instead of|statt|anstatt|au lieu de|en vez de|em vez de|invece di"
_END: Final = (
    rf"(?=\s*(?:$|\n|[.;!)]\s|[.;!)]$|,|\s-\s|—|\bplease\b|\bbitte\b|\binstead\b|\bstattdessen\b|(?:{_NOT})\b))"
)
_BE: Final = (
    r"(?:should|must|needs? to|ought to|has to)\s+(?:be|read|say|have been)|"
    r"(?:the\s+)?(?:correct|right|actual|real)\s+(?:\w+\s+){0,2}(?:is|was|would be|are)|correct(?:\s+answer)?\s*[:=]|"
    r"(?:no|nope|wrong|incorrect|actually)\b[\s,.!:;-]*(?:(?:it|that|this)(?:['’]s|\s+is|\s+was)|they\s+are)(?:\s+actually)?|"
    r"i\s+(?:said|meant|asked\s+for)|(?:the\s+)?answer\s+is|"
    r"(?:richtig|korrekt)\s+(?:ist|wäre|war)|(?:sollte|müsste|muss)(?:\s+(?:es|das))?(?:\s+(?:eigentlich|aber))?|"
    r"(?:nein|falsch)\b[\s,.!:;-]*(?:es|das)\s+(?:ist|war|sind)|ich\s+meinte|die\s+(?:richtige|korrekte)\s+\w+\s+ist|"
    r"(?:ça|cela)\s+(?:devrait|doit)\s+être|la\s+(?:bonne|vraie)\s+\w+\s+est|(?:non|faux)\b[\s,.!:;-]*c['’]est|"
    r"(?:la\s+(?:respuesta|fecha|cifra)\s+correcta\s+es|debe(?:ría)?\s+ser|lo\s+correcto\s+es)|"
    r"(?:no|incorrecto)\b[\s,.!:;-]*es|(?:a\s+resposta\s+(?:certa|correta)\s+é|deve(?:ria)?\s+ser|o\s+correto\s+é)|"
    r"(?:não|errado)\b[\s,.!:;-]*é|(?:la\s+risposta\s+(?:giusta|corretta)\s+è|dovrebbe\s+essere|deve\s+essere)|"
    r"no\b[\s,.!:;-]*è|sbagliato\b[\s,.!:;-]*è|(?:正解|正しい答え)は|(?:应该|應該|应当)是|正确答案是"
)
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_TITLES: Final = frozenset({"mr", "mrs", "ms", "dr", "st", "prof", "sr", "sra", "herr", "frau", "m", "mme"})
_QUOTES: Final = '"“”„«»`「」'


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadValue:
    """A value as the user wrote it, and the sentence around it."""

    value: str
    quote: str


def read_value(text: str) -> ReadValue | None:
    """Return the right value that a text gives; None when it gives none or more than one.

    A question ("shouldn't it be 5?") gives none, because the user is not sure.

    >>> read_value("No, it should be 30 days, not 14.").value
    '30 days'
    >>> read_value("Should it not be shorter?") is None
    True
    """
    found = [read for sentence in _SENTENCE.split(text[:MOST_CHARS]) if (read := _in_sentence(sentence.strip()))]
    return found[0] if len({read.value for read in found}) == 1 else None


@cache
def _rules() -> tuple[re.Pattern[str], ...]:
    """Return the rules, compiled at the first use: that takes longer than the import of the module."""
    return tuple(
        re.compile(rule, re.IGNORECASE)
        for rule in (
            rf"(?:\bnot|\bnicht|\bpas|\bno|\bnon|\bnão)\s+{_WRONG}\s*,?\s+(?:but|sondern|mais|sino|mas(?:\s+sim)?|ma)\s+{_VALUE}{_END}",
            rf"(?:\b(?:{_BE})|正解は|应该是|應該是|正确答案是)\s*(?:(?:the|der|die|das|le|la|el|o|il)\s+)?{_VALUE}(?:です|。|{_END})",
            rf"\b(?:it|that)(?:['’]s|\s+is|\s+was)\s+{_VALUE}\s*,\s*not\s+{_WRONG}",
            rf"\b(?:es|das)\s+(?:ist|war)\s+{_VALUE}\s*,\s*nicht\s+{_WRONG}",
            rf"\bc['’]est\s+{_VALUE}\s*,?\s+(?:et\s+)?pas\s+{_WRONG}",
            rf"\b(?:es|é|è)\s+{_VALUE}\s*,\s*(?:no|não|non)\s+{_WRONG}",
        )
    )


def _in_sentence(sentence: str) -> ReadValue | None:
    if sentence.endswith(("?", "？")) or not sentence:
        return None
    for rule in _rules():
        found = rule.search(sentence)
        if found is not None and found["value"].rstrip(".").casefold() not in _TITLES:
            return ReadValue(value=found["value"].strip().strip(_QUOTES).strip(), quote=sentence)
    return None
