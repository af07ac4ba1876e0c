"""Plain regular expressions for comparison: one of the standard library for each kind, over the whole text, without
checks.

They are like those in tutorials and log scrubbers, and were written for this comparison.
"""

import re

from bench.redaction_study.sample import Span

PATTERNS = {
    "email": re.compile(r"\b[\w.+%-]+@[\w-]+(?:\.[\w-]+)+\b"),
    "card": re.compile(r"\b(?:\d[ -]?){13,19}\b"),
    "iban": re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b"),
    "national_id": re.compile(
        r"\b\d{3}-\d{2}-\d{4}\b|\b[A-Z]{2}\d{6}[A-D]\b|\b\d{8}[A-Z]\b"
        r"|\b[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]\b"
    ),
    "ip": re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}\b"),
    "token": re.compile(
        r"\b(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|hf_|npm_|[sr]k_live_)[\w-]{16,}"
        r"|\beyJ[\w-]+\.[\w-]+\.[\w-]+|(?i:bearer)\s+[\w.~+/-]{16,}|(?i:password|secret|api_?key|token)\s*[:=]\s*\S{8,}"
        r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    ),
    "phone": re.compile(r"(?<!\w)(?:\+|00)?\(?\d{1,4}\)?(?:[ ./-]?\(?\d{2,4}\)?){2,5}(?!\w)"),
}


def find(text: str) -> list[Span]:
    found: list[Span] = []
    for kind, pattern in PATTERNS.items():
        for match in pattern.finditer(text):
            start = len(text[: match.start()].encode())
            span = Span(kind=kind, start=start, end=start + len(match.group().encode()))
            if not any(span.start < other.end and other.start < span.end for other in found):
                found.append(span)
    return found


def redact(text: str) -> str:
    for kind, pattern in PATTERNS.items():
        text = pattern.sub(f"<{kind}>", text)
    return text
