"""Identifiers a person can read in a log and a list can be sorted by."""

import secrets
from datetime import datetime


def new_id(prefix: str, now: datetime) -> str:
    """`run-20261121T020000-5f2c9a1e`: kind, UTC second of creation, 32 random bits."""
    return f"{prefix}-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
