"""Text that compresses like prose: words of an artificial language with the word frequencies of a real one.

Real text of this size would have to be shipped, and repeated text would compress too well.

>>> prose(Random(1), 60)
'foste keng quurth poo mouv foste joom foste kous glay loop '
"""

from bisect import bisect
from functools import cache
from itertools import accumulate
from random import Random

WORDS = 20_000
STEEPNESS = 0.8  # exponent of Zipf's law: zlib compresses a long text to 39 %, about as far as English prose
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
    """Return exactly `length` characters, with words drawn by their frequency."""
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
    """Return the words, the most frequent first, and the cumulative weights."""
    rng = Random(6)
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(_syllable(rng) for _ in range(rng.choice((1, 1, 2, 2, 3))))] = None
    return list(words), list(accumulate(rank**-STEEPNESS for rank in range(1, WORDS + 1)))


def _syllable(rng: Random) -> str:
    return rng.choice(_BEGINNINGS) + rng.choice(_MIDDLES) + rng.choice(_ENDS)
