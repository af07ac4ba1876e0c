"""Text that compresses about as prose does: words of a made-up language, drawn as often as words of a real one are.

Real text of the length of a benchmark would have to be shipped; text that repeats would be stored for nothing.

>>> prose(Random(1), 60)
'foste keng quurth poo mouv foste joom foste kous glay loop '
"""

from bisect import bisect
from functools import cache
from itertools import accumulate
from random import Random

WORDS = 20_000
STEEPNESS = 0.8  # of Zipf's law: with it zlib leaves 39 % of a long text, of English prose about as much
_BEGINNINGS = (
    "b",
    "c",
    "d",
    "f",
    "g",
    "h",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "qu",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "gl",
)
_MIDDLES = ("a", "e", "i", "o", "u", "oo", "ee", "ou", "ay")
_ENDS = ("", "", "m", "n", "r", "s", "t", "ng", "ste", "rth", "v", "p")


def prose(rng: Random, length: int) -> str:
    """Exactly `length` characters: each word as likely as its rank says."""
    words, sums = _vocabulary()
    made: list[str] = []
    left = length
    while left > 0:
        word = words[bisect(sums, rng.random() * sums[-1])]
        made.append(word)
        left -= len(word) + 1
    return (" ".join(made) + " ")[:length]


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """The words, the most frequent first, and the running sums of how often they are drawn."""
    rng = Random(6)
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(_syllable(rng) for _ in range(rng.choice((1, 1, 2, 2, 3))))] = None
    return list(words), list(accumulate(rank**-STEEPNESS for rank in range(1, WORDS + 1)))


def _syllable(rng: Random) -> str:
    return rng.choice(_BEGINNINGS) + rng.choice(_MIDDLES) + rng.choice(_ENDS)
