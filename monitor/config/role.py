"""The roles of tokens and of users."""

from enum import StrEnum


class Role(StrEnum):
    """A permission of a token. `admin` includes every role except `reveal`, which must be granted by name."""

    INGEST = "ingest"
    READ = "read"
    REVIEW = "review"
    OPERATE = "operate"
    REVEAL = "reveal"
    ADMIN = "admin"
