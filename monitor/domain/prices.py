"""Prices of tokens by model. Every computed cost is stored with the version of its price table."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """USD for a million tokens. `cached_input` is None when no lower price of cached tokens is known."""

    input: float
    cached_input: float | None
    output: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The price of a model. `long` applies to every token of a call with more than `long_above` input tokens."""

    rates: Rates
    long: Rates | None = None
    long_above: int = 0

    def usd(self, input_tokens: int, output_tokens: int, cached_input_tokens: int = 0) -> float:
        """Return the price of one call in USD. `input_tokens` includes the cached ones.

        >>> price = Price(rates=Rates(input=2.0, cached_input=0.5, output=8.0))
        >>> price.usd(1_000, 100, cached_input_tokens=400)
        0.0022
        """
        rates = self.rates if self.long is None or input_tokens <= self.long_above else self.long
        cached = min(cached_input_tokens, input_tokens)
        cached_rate = rates.input if rates.cached_input is None else rates.cached_input
        usd = (input_tokens - cached) * rates.input + cached * cached_rate + output_tokens * rates.output
        return usd / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTable:
    """Prices by model name in lower case. A name that ends in `*` matches every name with that prefix."""

    version: str
    models: Mapping[str, Price] = field(default_factory=dict)
