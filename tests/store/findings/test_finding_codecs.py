"""The JSON of comparisons and production evidence has the keys of the dataclasses, and decodes to the same values."""

import json
from dataclasses import asdict, replace
from datetime import date
from math import inf

import pytest

from monitor.domain.production import ProductionEvidence
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.findings.comparison_json import comparison_from_json, comparison_to_json
from monitor.store.findings.production_json import production_from_json, production_to_json
from tests.alerting.build import COMPARISON

WAITING = ProductionEvidence(unit="share", days=3, missing=4, e=None, e_needed=20.0)
CHANGED = replace(
    WAITING, e=inf, onset=date(2026, 11, 2), effect=0.1, interval=(0.05, 0.15), columns={"input": 2.5, "output": None}
)


@pytest.mark.parametrize("evidence", [WAITING, CHANGED])
def test_production_evidence_is_read_as_it_was_written(evidence: ProductionEvidence) -> None:
    written = production_to_json(evidence)
    assert production_from_json(written) == evidence
    assert list(from_json(written)) == list(asdict(evidence))
    assert json.loads(written)["onset"] == (None if evidence.onset is None else evidence.onset.isoformat())


def test_a_comparison_is_read_as_it_was_written() -> None:
    written = comparison_to_json(COMPARISON)
    assert comparison_from_json(written) == COMPARISON
    assert written == to_json(asdict(COMPARISON))
