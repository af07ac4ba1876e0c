"""What a run will cost, said before it begins."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from replay.types import Case

CHARACTERS_PER_TOKEN = 4.0  # of English text; other languages have fewer

Basis = Literal["the last run", "the length of the texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """US dollars for a million tokens."""

    input_usd_per_mtok: float
    output_usd_per_mtok: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a whole run is expected to take; None where nothing says it. `basis` is what it rests on."""

    calls: int
    requests: int
    tokens: int | None
    usd: float | None
    seconds: float | None
    basis: Basis


def forecast_from_run(manifest: Mapping[str, Any], calls: int, *, concurrency: int) -> Forecast | None:
    """As the outcomes of an earlier run of the same set against the same deployment; None when it had none.

    `manifest` is the JSON document of that run. Time is calls x mean wait / concurrency, with the median latency for
    the mean: an estimate that a long tail exceeds.
    """
    outcomes, answered = manifest["outcomes"], manifest["outcomes"] - sum(manifest["errors"].values())
    if outcomes <= 0 or answered <= 0:
        return None
    scale, latency_ms, usd = calls / outcomes, manifest["latency_ms_p50"], manifest["cost_usd"]
    requests = manifest["extra"].get("requests", outcomes)
    return Forecast(
        calls=calls,
        requests=round(requests * scale),
        tokens=round((manifest["input_tokens"] + manifest["output_tokens"]) * scale) or None,
        usd=None if usd is None else usd * scale,
        seconds=None if latency_ms is None else requests * scale * latency_ms / 1000.0 / concurrency,
        basis="the last run",
    )


def forecast_from_texts(
    cases: Collection[Case], calls: int, *, max_tokens: int | None, prices: Prices | None
) -> Forecast:
    """For a set that was never replayed: input from the length of its texts, output as long as the target allows. The
    prompt that the target puts before them is not in it.

    Without `max_tokens` the output is unknown, and with it the tokens and the money.
    """
    if not cases or max_tokens is None:
        return Forecast(calls=calls, requests=calls, tokens=None, usd=None, seconds=None, basis=_TEXTS)
    characters = sum(len(message.content) for case in cases for message in case.input)
    asked = calls * characters / len(cases) / CHARACTERS_PER_TOKEN
    answered = calls * max_tokens
    usd = None
    if prices is not None:
        usd = (asked * prices.input_usd_per_mtok + answered * prices.output_usd_per_mtok) / 1e6
    return Forecast(calls=calls, requests=calls, tokens=round(asked + answered), usd=usd, seconds=None, basis=_TEXTS)


_TEXTS: Basis = "the length of the texts"
