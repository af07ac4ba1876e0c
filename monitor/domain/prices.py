"""What tokens cost: a table of prices by model, with the version that stands beside every cost computed from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """USD for a million tokens. `cached_input` is None where the cached ones are not known to be cheaper."""

    input: float
    cached_input: float | None
    output: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """`long` holds for every token of a call whose input is longer than `long_above` tokens."""

    rates: Rates
    long: Rates | None = None
    long_above: int = 0

    def usd(self, input_tokens: int, output_tokens: int, cached_input_tokens: int = 0) -> float:
        """The price of one call. `input_tokens` counts the cached ones in.

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
    """Prices by the name of a model in lower case; a name that ends in `*` holds for all that begin so."""

    version: str
    models: Mapping[str, Price] = field(default_factory=dict)
