"""Detectors that a test can foretell: the study's own arithmetic is what is under test."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from bench.drift_study.alerts import Detector
from bench.drift_study.figures.comparison import Attribute
from bench.drift_study.ours import Methods


def alert(night: int, **fields: object) -> dict[str, object]:
    usual: dict[str, object] = {"night": night, "kind": "score", "trigger": "silent", "channel": "overall"}
    return {**usual, "onset": night, "delta": -0.05, "ci": None, "e": 4000.0, **fields}


def never(line: Mapping[str, object]) -> Mapping[str, Any]:
    return {"id": line["id"], "alerts": []}


def alerts_on(*nights: int, **fields: object) -> Detector:
    return lambda line: {"id": line["id"], "alerts": [alert(night, **fields) for night in nights]}


def blames(verdict: str) -> Attribute:
    return lambda *_arguments: SimpleNamespace(cause=verdict)


def methods(detector: Detector = never, *, attribute: Attribute | None = None) -> Methods:
    return Methods(detector=detector, compare=_three_points, attribute=attribute or blames("model"))


def _three_points(*_arguments: object) -> SimpleNamespace:
    interval = SimpleNamespace(low=-0.04, high=-0.02)
    return SimpleNamespace(overall=SimpleNamespace(ci=interval, alarm=True))
