"""Findings and notifications of an earlier release have old keys. They are read like current ones."""

import json
from dataclasses import replace
from typing import Any

from monitor.domain.deciding_test import DecidingTest
from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import (
    Cause,
    ChannelEvidence,
    ConsistencyEvidence,
    PinnedRunEvidence,
    RankedCause,
    TriedStep,
)
from monitor.domain.renamed_keys import RENAMED, with_current_keys
from monitor.store.findings.decision_json import decided_from_json, decided_to_json
from monitor.store.findings.finding_json import evidence_from_json, evidence_to_json
from tests.store.findings.test_baselines import FULL

EVIDENCE = replace(
    FULL,
    pinned_run=PinnedRunEvidence(
        pin_id="pin", run_id="run-7", nights=3, recent_nights=7, status="below", looks=2, detected_run="run-21"
    ),
    open_alert_change=ChannelEvidence(kind="score", channel="overall", delta=-0.05),
    consistency=ConsistencyEvidence(
        cases=100,
        nights=7,
        pairs="nights",
        before=0.04,
        after=0.12,
        delta=0.08,
        interval=(0.05, 0.11),
        p=0.001,
        p_needed=0.01,
        direction="less",
    ),
    cause=Cause(
        named=("model",),
        probability=0.97,
        why="the old model passes",
        differences=(),
        causes=(RankedCause(suspect="model", probability=0.97),),
        tried=(TriedStep(step="replay", result="the drop stayed", detail="84 %", bits=0.4, calls=3, usd=0.01),),
        not_tried=(),
        calls=3,
        usd=0.01,
        confirmed=True,
        statement="caused by model (97%)",
    ),
)


def old_keys(value: Any, held_by: str) -> Any:
    """Return the value as an earlier release wrote it."""
    if isinstance(value, dict):
        old = {new: name for name, new in RENAMED.get(held_by, {}).items()}
        return {old.get(key, key): old_keys(item, key) for key, item in value.items()}
    return [old_keys(item, held_by) for item in value] if isinstance(value, list) else value


def test_evidence_with_the_old_keys_reads_as_the_same_evidence() -> None:
    stored = evidence_to_json(EVIDENCE)
    old = json.dumps(old_keys(json.loads(stored), "evidence"))
    assert all(f'"{name}"' in old for names in RENAMED.values() for name in names)
    assert not any(f'"{name}"' in old for name in ("phase", "pinned_run", "case_overlap", "detected_run", "statement"))
    assert evidence_from_json(old) == evidence_from_json(stored) == EVIDENCE


def test_a_deciding_test_with_the_old_keys_reads_as_the_same_test() -> None:
    effect = DetectableEffect(scenario="announced", nights=3, effect=0.04)
    decided = DecidingTest(test="known_change", channel="overall", detectable=(effect,))
    old = old_keys(json.loads(decided_to_json(decided)), "decided")
    assert old["detectable"] == [{"situation": "announced", "nights": 3, "effect": 0.04}]
    assert decided_from_json(json.dumps(old)) == decided


def test_a_payload_that_was_queued_with_the_old_keys_has_the_new_ones() -> None:
    new = {
        "evidence": {"phase": "learning", "pinned_run": {"status": "below"}, "detectable": [{"scenario": "silent"}]},
        "cause": {"statement": "caused by model"},
        "decided": {"detectable": [{"scenario": "silent"}]},
    }
    assert with_current_keys(old_keys(new, "")) == with_current_keys(new) == new
