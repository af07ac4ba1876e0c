"""Kinds of private values in texts, and the actions on them before a text is stored."""

from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """The known kinds of secrets and personal data. Configured patterns have their own names."""

    EMAIL = "email"
    PHONE = "phone"
    CARD = "card"
    IBAN = "iban"
    IP = "ip"
    TOKEN = "token"  # noqa: S105 - the name of a kind
    NATIONAL_ID = "national_id"


class Action(StrEnum):
    """The replacement of a value that was found."""

    REPLACE = "replace"  # <kind:digest>
    HASH = "hash"  # a longer digest, without the kind
    MASK = "mask"  # letters and digits become stars, except the last four of a card or account number
    DROP = "drop"  # the value is removed
    KEEP = "keep"  # values of this kind are not searched


class Locale(StrEnum):
    """Countries with known national ids and phone number formats."""

    US = "US"
    GB = "GB"
    DE = "DE"
    FR = "FR"
    ES = "ES"
    NL = "NL"
    IT = "IT"


# Attributes that describe a machine, a stack or a vector; `*` matches any text.
DROPPED: Final = (
    "exception.stacktrace", "exception.message.stack", "*.stacktrace", "*.stack_trace", "*.embedding.vector",
    "*.embeddings", "process.*", "host.*", "os.*", "telemetry.sdk.*", "telemetry.distro.*", "container.*", "k8s.*",
    "cloud.*", "device.*", "thread.*", "code.filepath", "code.file.path", "net.host.*", "net.sock.*", "network.local.*",
    "client.address", "http.request.header.*", "http.response.header.*", "http.user_agent",
    "user_agent.*",
)  # fmt: skip
