"""The measured results, as stored in bench/results/redaction.json."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.redaction_study import ours, plain, speed
from bench.redaction_study.quality import Quality, qualities
from bench.redaction_study.rivals.datafog import DataFog
from bench.redaction_study.sample import read_sample
from bench.replay_study.machine import conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The results of one program. `us` has microseconds for 2 KB by kind of text."""

    name: str
    quality: Sequence[Quality]
    us: dict[str, float]


def measure() -> dict[str, Any]:
    """Measure everything. It takes half a minute."""
    sample = read_sample()
    with DataFog() as fog:
        found, version = fog.found([item.text for item in sample])
        fog_us = {name: fog.seconds(text, 100) * 1e6 for name, text in speed.TEXTS.items()}
    made = [
        _program("driftd", qualities(sample, ours.find), speed.of(ours.redact)),
        _program("plain re", qualities(sample, plain.find), speed.of(plain.redact)),
        _program(f"datafog {version}", qualities(sample, lambda text: found[text]), fog_us),
    ]
    return {"conditions": asdict(conditions()), "programs": made}


def write(path: Path, measured: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> list[Program]:
    kept = json.loads(path.read_text(encoding="utf-8"))
    return [Program(name=p["name"], quality=[Quality(**q) for q in p["quality"]], us=p["us"]) for p in kept["programs"]]


def _program(name: str, quality: Sequence[Quality], us: dict[str, float]) -> dict[str, Any]:
    return {"name": name, "quality": [asdict(q) for q in quality], "us": {n: round(v, 1) for n, v in us.items()}}
