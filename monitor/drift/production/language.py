"""Detects the language of a text, well enough to see that users suddenly write in another one."""

import re
from collections import Counter
from types import MappingProxyType

UNKNOWN = "unknown"
LETTERS_READ = 400
MIN_HITS = 2  # one stop word alone is chance: "die" is an English verb

# Words that are frequent in their language and in few of the others.
_STOP_WORDS = MappingProxyType(
    {
        "en": "the and is are was you that what how with this have for not can my does please of to it i",
        "de": "der die das und ist nicht ich sie ein eine wie mit für auf haben kann mein bitte zu es wir auch",
        "fr": "le la les et est je vous pas une des pour que dans avec ce mon comment bonjour du il nous sont",
        "es": "el los las y es que no una por para con mi cómo qué está hola del se más lo su como",
        "it": "il gli che è non una per con mi come sono della di ciao ho questo anche più nel si del",
        "pt": "o os as e é não uma por para com meu como você está olá do da se mais em um são",
        "nl": "de het een en is niet ik je van voor met hoe mijn dat op zijn kan wat aan ook er",
        "pl": "nie jest to na się że w i jak do co mam czy z mój dla proszę są po od",
        "tr": "bir ve bu için ne mi değil nasıl ben çok ile var da de benim lütfen mı olarak",
    }
)
_WORDS = {language: frozenset(words.split()) for language, words in _STOP_WORDS.items()}
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = (
    ("ja", 0x3040, 0x30FF),  # kana decide before Han: Japanese writes both
    ("ko", 0xAC00, 0xD7A3),
    ("zh", 0x4E00, 0x9FFF),
    ("cyrillic", 0x0400, 0x04FF),
    ("greek", 0x0370, 0x03FF),
    ("arabic", 0x0600, 0x06FF),
    ("hebrew", 0x0590, 0x05FF),
    ("devanagari", 0x0900, 0x097F),
    ("thai", 0x0E00, 0x0E7F),
)
_SCRIPT_SHARE = 0.3  # of the letters; loan words and code are Latin everywhere


def language_of(text: str) -> str:
    """Return the ISO 639-1 code by stop words or script; the name of the script when several languages share it.

    Deterministic, takes some microseconds. A short or mixed text is `unknown`.

    >>> [language_of(text) for text in ("How do I reset the password?", "Wie kann ich das ändern?", "パスワード", "ok")]
    ['en', 'de', 'ja', 'unknown']
    """
    letters = [letter for letter in text[: 4 * LETTERS_READ] if letter.isalpha()][:LETTERS_READ]
    return (_by_script(letters) or _by_stop_words(text[: 4 * LETTERS_READ])) if letters else UNKNOWN


def _by_script(letters: list[str]) -> str | None:
    for name, first, last in _SCRIPTS:
        if sum(first <= ord(letter) <= last for letter in letters) >= _SCRIPT_SHARE * len(letters):
            return name
    return None


def _by_stop_words(text: str) -> str:
    words = _WORD.findall(text.lower())
    hits = Counter({language: sum(word in stop_words for word in words) for language, stop_words in _WORDS.items()})
    (best, hits_of_best), (_, second) = hits.most_common(2)
    return best if hits_of_best >= MIN_HITS and hits_of_best > second else UNKNOWN
