"""What is looked for in texts before they are stored, and what becomes of it."""

from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """Kinds of secrets and personal data that are known here. Own patterns have names of their own."""

    EMAIL = "email"
    PHONE = "phone"
    CARD = "card"
    IBAN = "iban"
    IP = "ip"
    TOKEN = "token"  # noqa: S105 - the name of a kind
    NATIONAL_ID = "national_id"


class Action(StrEnum):
    """What becomes of a value that was found."""

    REPLACE = "replace"  # <kind:digest>
    HASH = "hash"  # the digest alone, longer
    MASK = "mask"  # letters and digits as stars, the last four of a card or account stay
    DROP = "drop"  # nothing is left of it
    KEEP = "keep"  # it is not looked for


class Locale(StrEnum):
    """Countries whose ids and national ways of writing a phone number are known."""

    US = "US"
    GB = "GB"
    DE = "DE"
    FR = "FR"
    ES = "ES"
    NL = "NL"
    IT = "IT"


# Attributes that describe a machine, a stack or a vector; `*` stands for any text.
DROPPED: Final = (
    "exception.stacktrace", "exception.message.stack", "*.stacktrace", "*.stack_trace", "*.embedding.vector",
    "*.embeddings", "process.*", "host.*", "os.*", "telemetry.sdk.*", "telemetry.distro.*", "container.*", "k8s.*",
    "cloud.*", "device.*", "thread.*", "code.filepath", "code.file.path", "net.host.*", "net.sock.*", "network.local.*",
    "client.address", "http.request.header.*", "http.response.header.*", "http.user_agent",
    "user_agent.*",
)  # fmt: skip
