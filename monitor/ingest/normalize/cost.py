"""Compute the cost of a call that reports none: its tokens times the price of its model.

An unknown model has no cost.
"""

import re
from functools import lru_cache

from monitor.domain.interaction import Interaction
from monitor.domain.prices import Price, PriceTable

CACHE_SIZE = 4096  # model names whose price is cached
MAX_NAME_CHARS = 256  # of a model name; longer names have no price
REGION = re.compile(r"^(?:us|eu|apac|jp|au|ca|global|us-gov)\.")  # Bedrock's cross-region profiles
PUBLISHER = re.compile(r"^(?:anthropic|amazon|cohere|deepseek|google|meta|mistral|openai)\.")
# Such as -2024-08-06, @20250929, -0613, -001, -latest, -v1:0.
SNAPSHOT = re.compile(r"(?:[-@](?:20\d\d-\d\d-\d\d|20\d{6}|\d{4}|00\d|latest)|-v\d+(?::\d+)?|:\d+)$")
WILDCARD = "*"


class PriceLookup:
    """Find prices by model name in one table."""

    def __init__(self, table: PriceTable) -> None:
        self.version = table.version
        self._exact = {name: price for name, price in table.models.items() if not name.endswith(WILDCARD)}
        prefixes = ((name[:-1], price) for name, price in table.models.items() if name.endswith(WILDCARD))
        self._prefixes = sorted(prefixes, key=lambda pair: -len(pair[0]))
        self._cached_find = lru_cache(CACHE_SIZE)(self._find)

    def cost_of(self, item: Interaction) -> float | None:
        """Return the cost in USD; None when the price or the token counts are unknown."""
        if item.input_tokens is None or item.output_tokens is None:
            return None
        price = self.of(item.response_model or item.request_model or "")
        if price is None and item.response_model and item.request_model:
            price = self.of(item.request_model)
        if price is None:
            return None
        return price.usd(item.input_tokens, item.output_tokens, item.cached_input_tokens or 0)

    def of(self, model: str) -> Price | None:
        return self._cached_find(model) if len(model) <= MAX_NAME_CHARS else None

    def _find(self, model: str) -> Price | None:
        """Return the price of the most exact name.

        The order: the full name, without provider, without date, then the longest matching prefix.
        """
        names = _names(model.lower())
        for name in names:
            if name in self._exact:
                return self._exact[name]
        return next((price for start, price in self._prefixes if any(name.startswith(start) for name in names)), None)


def _names(model: str) -> list[str]:
    """Return the names to try: `openai/gpt-4o-2024-08-06` is also `gpt-4o-2024-08-06` and `gpt-4o`.

    Only a snapshot date or number is removed: `gpt-4o-audio-preview` is a different model from `gpt-4o`.
    """
    bare = model.rsplit("/", 1)[-1]
    names = dict.fromkeys((model, bare, PUBLISHER.sub("", REGION.sub("", bare))))
    for name in list(names):
        dated = name
        while (shorter := SNAPSHOT.sub("", dated)) != dated:
            names[shorter] = None
            dated = shorter
    return list(names)
