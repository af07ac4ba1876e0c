"""Updates stored smallest detectable effects of earlier releases."""

from typing import Any

from monitor.domain.detectable import Scenario


def with_detectable(item: dict[str, Any], scenario: Scenario) -> dict[str, Any]:
    """Return the item with the list `detectable`. The one effect of an earlier release is of `scenario`."""
    effect, nights = item.get("smallest_effect"), item.get("smallest_nights")
    rest = {key: value for key, value in item.items() if key not in ("smallest_effect", "smallest_nights")}
    older = [] if effect is None else [{"scenario": scenario, "nights": nights or 1, "effect": effect}]
    return {"detectable": older} | rest
