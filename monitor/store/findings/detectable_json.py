"""Decodes the smallest detectable effects of a finding."""

from typing import Any

from monitor.domain.detectable import DetectableEffect, Scenario


def detectable_from(item: dict[str, Any], scenario: Scenario) -> tuple[DetectableEffect, ...]:
    """Remove the effects from `item` and return them. An earlier release stored one effect: it is an effect of
    `scenario`.
    """
    effect, nights = item.pop("smallest_effect", None), item.pop("smallest_nights", None)
    if "detectable" in item:
        return tuple(DetectableEffect(**each) for each in item["detectable"])
    return () if effect is None else (DetectableEffect(scenario=scenario, nights=nights or 1, effect=effect),)
