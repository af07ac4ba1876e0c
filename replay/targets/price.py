"""The cost of a reply."""

from replay.targets.settings import TargetSettings
from replay.types import Reply


def cost_usd(reply: Reply, price: TargetSettings) -> float | None:
    """Return price times tokens; None if a price or a count is missing."""
    price_in, price_out = price.input_usd_per_mtok, price.output_usd_per_mtok
    if price_in is None or price_out is None or reply.input_tokens is None or reply.output_tokens is None:
        return None
    return (reply.input_tokens * price_in + reply.output_tokens * price_out) / 1e6
