"""Stores the results of the proofs of alerting in bench/results/alerting, with the conditions of the measurement."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.replay_study.machine import conditions

RESULTS = Path(__file__).parent / "results" / "alerting"


def write_result(name: str, figures: Mapping[str, Any]) -> Path:
    """Write `figures` and the machine, the time and the load to NAME.json. Return its path."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    document = {"conditions": asdict(conditions()), **figures}
    path.write_text(f"{json.dumps(document, indent=1)}\n", encoding="utf-8")
    return path
