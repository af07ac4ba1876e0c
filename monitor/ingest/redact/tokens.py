"""Find access tokens and keys of common providers, passwords in URLs, and values that are named as secrets.

Prefixes and lengths are those of the providers. A value without a digit counts as a name.
"""

from collections.abc import Iterator
from typing import Final

from monitor.domain.redaction import Kind
from monitor.ingest.redact.automaton import compiled
from monitor.ingest.redact.match import Hit, past_escape, stands_alone

SHAPE: Final = (
    rb"sk[-_][A-Za-z0-9]|rk_(?:live|test)_|whsec_|A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{4}|gh[opsur]_|github_pat_|gl[a-z]{2,5}-"
    rb"|xox[a-z]-|xapp-|hooks\.slack|AIza|ya29\.|GOCSPX-|eyJ[A-Za-z0-9_-]{4}|-----BEGIN|hf_[A-Za-z]|npm_[A-Za-z0-9]{8}"
    rb"|pypi-Ag|SG\.[A-Za-z0-9]|gsk_|r8_|pplx-|xai-|tgp_v1_|lsv2_|dop_v1_|shp[a-z]{2}_|:AA[A-Za-z0-9_-]{8}"
    rb"|SK[0-9a-f]{16}|8Q~|sig=|(?i:earer[ \t]|basic[ \t]|accountkey|accesskey|passw|pwd|secret|api[_-]?key|token)"
    rb"|:/{2}[^\s/:@]*:"
)
_PEM: Final = (
    rb"-----BEGIN [0-9A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)"
    rb"(?:-----END [0-9A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)"
)
_ASSIGNED: Final = (
    rb"(?:pass(?:word|wd|phrase)|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|(?:api|access|auth|private)[_-]?key"
    rb"|(?:access|auth|refresh|api|session|id)?[_-]?token)"
    rb"[\\\"']*[ \t]*(?:[:=]|=>| is )[ \t]*[\\\"']*([0-9A-Za-z!#%&*+/=?@^_~.$-]{8,})"
)
# The whole match is the secret.
_WHOLE: Final = compiled(
    b"|".join(
        (
            _PEM,
            rb"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",  # JWT
            rb"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",  # JWE
            rb"sk-[A-Za-z0-9_-]{20,}",  # OpenAI, Anthropic, OpenRouter, Langfuse, LiteLLM
            rb"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}",  # Stripe
            rb"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",  # AWS
            rb"gh[opsur]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}",
            rb"gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.-]{20,}",
            rb"xox[abceoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}",
            rb"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/]{20,}",
            rb"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}",  # Google
            rb"hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36}|pypi-Ag[A-Za-z0-9_-]{50,}",
            rb"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",  # SendGrid
            rb"gsk_[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{37,}|pplx-[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|tgp_v1_[A-Za-z0-9_-]{40,}",
            rb"lsv2_(?:pt|sk)_[A-Za-z0-9_]{32,}|dop_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
            rb"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}|SK[0-9a-f]{32}",  # Telegram, Twilio
            rb"[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34}",  # Entra
        )
    )
)
# The group is the secret; the text before it names it.
_NAMED: Final = compiled(
    b"|".join(
        (
            rb"(?i)\bbearer[ \t]+([A-Za-z0-9._~+/-]{16,}=*)",
            rb"authorization[\"']?[ \t]*[:=][ \t]*[\"']?(?:basic|token)[ \t]+([A-Za-z0-9._~+/-]{8,}=*)",
            rb"(?:account|shared ?access)key[ \t]*=[ \t]*([A-Za-z0-9+/]{40,}={0,2})",  # Azure
            rb"[?&;]sig=([A-Za-z0-9%+/]{30,}={0,2})",
            rb":/{2}[^\s/:@\"'<>]*:([^\s/@\"'<>]{3,})@",
            _ASSIGNED,
        )
    )
)


def find(data: bytes) -> Iterator[Hit]:
    for match in _WHOLE.finditer(data):
        start, end = match.span()
        if data[start : start + 1] == b"-" or (_has_digit(data[start:end]) and _begins(data, start)):
            yield _hit(data, start, end)
    for match in _NAMED.finditer(data):
        group = match.lastindex or 0
        start, end = match.span(group)
        in_address = data[match.start() : match.start() + 1] == b":"
        if in_address or _is_secret(data[start:end]):
            yield _hit(data, start, end)


def _hit(data: bytes, start: int, end: int) -> Hit:
    return Hit(kind=Kind.TOKEN, start=start, end=end, value=data[start:end].decode("utf-8", "replace"))


def _begins(data: bytes, start: int) -> bool:
    return start == 0 or stands_alone(data, start, len(data)) or past_escape(data, start - 1) != start - 1


def _has_digit(value: bytes) -> bool:
    return any(c in b"0123456789" for c in value)


def _is_secret(value: bytes) -> bool:
    """Return whether digits and letters are mixed, unlike in a word, a number or a variable name."""
    return _has_digit(value) and not value.isdigit() and value[:1] not in b"$" and any(c >= 65 for c in value)
