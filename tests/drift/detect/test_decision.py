"""The interval of an alarm for new cases: failure categories like scores."""

from dataclasses import replace

import numpy as np

from monitor.domain.evidence import Evidence
from monitor.drift.detect.decision import decide
from monitor.drift.detect.nightly_history import build_nights
from tests.drift.builders import POLICY as BUILT
from tests.drift.nights import rows

POLICY = replace(BUILT, baseline_nights=6)
BEFORE, CASES, RUNS = 8, 200, 120
SLIPS, TURNS = 0.1, 0.6  # of the failures, how many are of the wrong form, before the change and after it


def failing_in_another_way(seed: int) -> Evidence:
    """As many cases fail as before, each at a rate of its own; the new version fails them by their form."""
    rng = np.random.default_rng(seed)
    failing = rng.random((BEFORE + 1, CASES)) < rng.beta(2.0, 3.0, size=CASES)
    nights = rows((~failing).astype(np.float64), [*["A"] * BEFORE, "B"])
    turned = rng.random(len(nights.failures.name)) < np.where(nights.failures.night < BEFORE, SLIPS, TURNS)
    names = tuple("format" if form else "wrong_answer" for form in turned)
    mixed = replace(nights, failures=replace(nights.failures, name=names))
    found = decide(build_nights(mixed, POLICY), f"run-{BEFORE}", None, None)
    assert found is not None
    return found.evidence


def test_a_failure_category_that_grew_has_an_interval_for_new_cases_that_keeps_its_word() -> None:
    rise = 0.4 * (TURNS - SLIPS)  # in the population that the cases were drawn from
    reported = [evidence for evidence in map(failing_in_another_way, range(RUNS)) if evidence.kind == "mix"]
    assert len(reported) > 0.9 * RUNS
    held = 0
    for evidence in reported:
        assert evidence.channel == "format"
        assert evidence.interval is not None
        assert evidence.interval_new_cases is not None
        low, high = evidence.interval_new_cases
        assert low < (evidence.delta or 0.0) < high
        held += low <= rise <= high
    assert 0.9 <= held / len(reported) <= 1.0
