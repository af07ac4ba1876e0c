"""The name of a system prompt whose text must not travel."""

import hashlib
import unicodedata


def prompt_hash(text: str) -> str:
    r"""SHA-256 (hex) of the text in Unicode NFC without the white space around it.

    The same prompt read from a file, typed into a config or seen in a trace gives the same hash.

    >>> prompt_hash("Answer yes or no.\n") == prompt_hash("Answer yes or no.")
    True
    >>> len(prompt_hash(""))
    64
    """
    return hashlib.sha256(unicodedata.normalize("NFC", text).strip().encode("utf-8", "surrogatepass")).hexdigest()
