"""The sets of a deployment as items of the overview."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal, cast

import numpy as np

from monitor.api.overview.facts import Facts
from monitor.api.overview.schedule_times import stale_at
from monitor.api.schema import AcceptanceItem
from monitor.api.schema.overview import NightItem, OverviewSetItem
from monitor.domain.alert import Alert
from monitor.domain.deployment_state import SetVerdict, is_about_quality
from monitor.domain.finding import Verdict
from monitor.domain.policy import SchedulePolicy
from monitor.stats.wilson import wilson
from monitor.store.overview.nights import IMPORTED, Night, PassCount
from monitor.store.overview.rows import NewestVerdict

NOTHING = PassCount()


def sets_of(
    facts: Facts, deployment: str, schedules: Sequence[SchedulePolicy], grace: timedelta
) -> list[OverviewSetItem]:
    """Return the sets of the deployment: frozen sets first, then by name."""
    items = [_item(facts, deployment, name, schedules, grace) for name in facts.sets_of[deployment]]
    return sorted(items, key=lambda item: (item.kind != "frozen", item.set_name))


def verdict_of(item: OverviewSetItem) -> SetVerdict:
    """Return what the state of the deployment depends on."""
    return SetVerdict(
        set_name=item.set_name,
        cases=item.cases,
        verdict=None if item.verdict is None else Verdict(item.verdict),
        at=item.measured_at or item.verdict_at,
        reason=item.reason or "",
        stale_at=item.stale_at,
    )


def _item(
    facts: Facts, deployment: str, set_name: str, schedules: Sequence[SchedulePolicy], grace: timedelta
) -> OverviewSetItem:
    found, nights = facts.verdicts.get((deployment, set_name)), facts.nights.get((deployment, set_name), ())
    stored = facts.sets.get(set_name)
    imported = bool(nights) and nights[-1].trigger == IMPORTED
    kind = stored.kind if stored is not None else nights[-1].set_kind if nights else "unknown"
    measured = None if found is None else found.measured_at or found.at
    channel, effect, low, high = (None, None, None, None) if found is None else _effect(found)
    alert = _alert_of(facts.alerts.get(deployment, ()), set_name)
    return OverviewSetItem(
        set_name=set_name,
        kind=cast("Literal['frozen', 'dynamic', 'unknown']", kind),
        cases=0 if stored is None else stored.cases,
        imported=imported,
        verdict=None if found is None else found.verdict.value,
        verdict_at=None if found is None else found.at,
        measured_at=measured,
        reason=None if found is None else found.reason,
        finding_id=None if found is None else found.id,
        run_id=None if found is None else found.candidate_run,
        channel=channel,
        effect=effect,
        effect_low=low,
        effect_high=high,
        held_back=None if found is None else found.held_back,
        acceptance=None
        if found is None or found.acceptance is None
        else AcceptanceItem.model_validate(found.acceptance, from_attributes=True),
        stale_at=None if measured is None else stale_at(schedules, deployment, measured, grace, imported=imported),
        alert_id=None if alert is None else alert.id,
        nights=_nights(facts, nights),
    )


def _alert_of(alerts: Sequence[Alert], set_name: str) -> Alert | None:
    return next((one for one in alerts if one.set_name == set_name and is_about_quality(one)), None)


def _effect(found: NewestVerdict) -> tuple[str | None, float | None, float | None, float | None]:
    """Return the channel, the effect and its interval: those of the deciding test, else those of the two runs. A
    failure category has a share of its own, so the numbers are then those of the two runs.
    """
    lead = None if found.decided is None else found.decided.lead
    if lead is not None and lead.kind != "mix" and lead.effect is not None and lead.interval is not None:
        return lead.channel, lead.effect, lead.interval[0], lead.interval[1]
    return (None if found.effect is None else "overall"), found.effect, found.low, found.high


def _nights(facts: Facts, nights: Sequence[Night]) -> list[NightItem]:
    counts = [facts.counts.get(night.run_id, NOTHING) for night in nights]
    scored = np.array([count.scored for count in counts], dtype=np.int64)
    passed = np.array([count.passed for count in counts], dtype=np.float64)
    rates = passed / np.maximum(scored, 1)
    lows, highs = wilson(rates, scored)
    return [
        NightItem(
            run_id=night.run_id,
            at=night.at,
            version_label=facts.labels.get((night.deployment, night.version or "")),
            passed=count.passed,
            scored=count.scored,
            rate=float(rate) if count.scored else None,
            low=float(low) if count.scored else None,
            high=float(high) if count.scored else None,
        )
        for night, count, rate, low, high in zip(nights, counts, rates, lows, highs, strict=True)
    ]
