"""The smallest falls that a test finds, from the JSON of a finding."""

from typing import Any

from monitor.domain.detectable import DetectableEffect, FallSituation


def detectable_from(item: dict[str, Any], situation: FallSituation) -> tuple[DetectableEffect, ...]:
    """Those of `item`; what an earlier release stored, one effect without a situation, is taken out of it and read as
    one of `situation`.
    """
    effect, nights = item.pop("smallest_effect", None), item.pop("smallest_nights", None)
    if "detectable" in item:
        return tuple(DetectableEffect(**each) for each in item["detectable"])
    return () if effect is None else (DetectableEffect(situation=situation, nights=nights or 1, effect=effect),)
