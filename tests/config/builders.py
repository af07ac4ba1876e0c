"""A valid configuration, in which a test changes single values."""

import copy
from pathlib import Path
from typing import Any

from monitor.config.load import from_mapping
from monitor.config.tree import Config
from replay.evalsets.sealing import key_text

KEY = key_text(bytes(range(32)))

_WORKING: dict[str, Any] = {
    "deployments": {"support": {"target": "model", "sets": ["primes", "corrections"]}},
    "targets": {"model": {"base_url": "http://127.0.0.1:9/v1", "model": "gpt-4"}},
    "sets": {
        "primes": {"kind": "frozen", "key": KEY, "scorers": [{"kind": "choice", "choices": ["Yes", "No"]}]},
        "corrections": {"kind": "dynamic", "scorers": [{"kind": "exact"}]},
    },
    "schedules": {"nightly": {"cron": "0 2 * * *"}},
    "receivers": {"hook": {"kind": "webhook", "url": "http://127.0.0.1:9/hook"}},
}


def working(**paths: Any) -> dict[str, Any]:
    """Return a valid configuration with changed values. `__` separates the parts of a path; `...` removes a key."""
    data = copy.deepcopy(_WORKING)
    for path, value in paths.items():
        *parents, last = path.split("__")
        section = data
        for parent in parents:
            section = section.setdefault(parent, {})
        if value is ...:
            del section[last]
        else:
            section[last] = value
    return data


def config(folder: Path = Path(), /, **paths: Any) -> Config:
    return from_mapping(working(**paths), env={}, folder=folder, where="driftd.yaml")
