"""Histories of the kind dedrift publishes its own figures on, as its log records and as our document.

Its documentation states: 12 canaries of 5 repetitions a cycle, or 18 of 7, or 30 of 7; six families; a refusal rate of
5 %; a latent offset shared by the records of a cycle, sigma 0.10 being a swing of about ten percent. Here the offset
moves the logarithm of lengths and latencies and the log-odds of refusals and of broken formats alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

FAMILIES = ("happy_path", "edge_case", "refusal_boundary", "tool_heavy", "adversarial", "long_context")
REFUSES, BREAKS_FORMAT = 0.05, 0.05
REFUSAL = "I'm sorry, but I can't help with that request."
WORDS, LATENCY_MS = 60.0, 1500.0  # medians
SPREAD = 0.35  # of their logarithms
TOOLS = ("search", "lookup", "calculate")
TOOL_CALLS = 1.2  # a record, Poisson
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
STACK = {
    "model": "provider/model@v1",
    "prompt_hash": "sha256:" + "a" * 64,
    "tool_schema_hash": "sha256:" + "b" * 64,
    "rag_index_version": "rag-1",
    "agent_version": "0.1.0",
    "extra": {},
}

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One published figure: dedrift's inference, checked every `every` cycles from `first_check` on.

    Its baseline are the first `golden` cycles; its fixed path also wants five cycles after those to roll over.
    """

    name: str
    path: str
    canaries: int
    repetitions: int
    cycles: int
    golden: int = 3
    first_check: int = 8
    every: int = 1
    change: int | None = None  # the first cycle with `size` more refusals
    size: float = 0.0
    wobble: float = 0.0
    every_check: bool = False  # goes on after an alarm: what is published is a rate of checks, not of histories

    @property
    def records(self) -> int:
        """Of one cycle."""
        return self.canaries * self.repetitions


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycles:
    """All arrays are [cycles, canaries, repetitions]."""

    refused: Flags
    broken: Flags
    words: Array
    latency_ms: Array
    calls: NDArray[np.int64]

    @property
    def passed(self) -> Flags:
        return ~self.refused & ~self.broken


def draw_cycles(study: Study, rng: np.random.Generator) -> Cycles:
    """The outcomes of one agent, stable or with the change of the study."""
    shape = (study.cycles, study.canaries, study.repetitions)
    offset = rng.standard_normal(study.cycles)[:, None, None] * study.wobble
    refuses = np.full(shape, REFUSES)
    if study.change is not None:
        refuses[study.change :] += study.size
    return Cycles(
        refused=rng.random(shape) < _shifted(refuses, offset),
        broken=rng.random(shape) < _shifted(np.full(shape, BREAKS_FORMAT), offset),
        words=WORDS * np.exp(offset + SPREAD * rng.standard_normal(shape)),
        latency_ms=LATENCY_MS * np.exp(offset + SPREAD * rng.standard_normal(shape)),
        calls=rng.poisson(TOOL_CALLS, shape),
    )


def _shifted(chance: Array, offset: Array) -> Array:
    odds = np.log(chance / (1.0 - chance)) + offset
    return np.asarray(1.0 / (1.0 + np.exp(-odds)), dtype=np.float64)


def family_of(canary: int) -> str:
    return FAMILIES[canary % len(FAMILIES)]


def cycle_name(cycle: int) -> str:
    return f"cycle-{cycle:04d}"


def records_of(study: Study, cycles: Cycles, cycle: int) -> Iterator[dict[str, object]]:
    """One cycle in the format that `dedrift log` reads."""
    for canary in range(study.canaries):
        for repetition in range(study.repetitions):
            yield _record(cycles, cycle, canary, repetition)


def _record(cycles: Cycles, cycle: int, canary: int, repetition: int) -> dict[str, object]:
    at = (cycle, canary, repetition)
    refused, broken = bool(cycles.refused[at]), bool(cycles.broken[at])
    words = max(1, round(float(cycles.words[at])))
    text = REFUSAL if refused else " ".join(["answer"] * words)
    moment = FIRST + timedelta(hours=cycle, seconds=canary * 100 + repetition)
    return {
        "id": f"{cycle}-{canary}-{repetition}",
        "ts": moment.isoformat().replace("+00:00", "Z"),
        "source": "canary",
        "canary_id": f"canary-{canary:03d}",
        "cycle_id": cycle_name(cycle),
        "repetition": repetition + 1,
        "input": {"text": f"question {canary}", "metadata": {"family": family_of(canary)}},
        "output": {"text": text, "structured": None if refused or broken else {"answer": "answer", "confidence": 0.9}},
        "tool_calls": _tool_calls(canary + repetition + cycle, int(cycles.calls[at])),
        "steps": 1 + int(cycles.calls[at]),
        "retries": 0,
        "errors": [],
        "latency_ms": max(1, round(float(cycles.latency_ms[at]))),
        "tokens_in": 64,
        "tokens_out": len(text.split()),
        "config": STACK,
    }


def _tool_calls(first: int, calls: int) -> list[dict[str, object]]:
    return [
        {"name": TOOLS[(first + order) % len(TOOLS)], "args_schema_ok": True, "order": order + 1}
        for order in range(calls)
    ]


def document_of(study: Study, cycles: Cycles, *, seed: int) -> dict[str, object]:
    """The same cycles as `driftd backtest` reads them: a canary is a case, its family the category."""
    passes = cycles.passed.sum(axis=2)
    return {
        "id": study.name,
        "k": study.repetitions,
        "baseline_nights": study.first_check,
        "alpha": 0.05,
        "horizon": study.cycles - study.first_check,
        "seed": seed,
        "cases": [{"id": f"canary-{c:03d}", "category": family_of(c)} for c in range(study.canaries)],
        "nights": [{"version": "v1", "judge": "none", "passes": night.tolist()} for night in passes],
    }
