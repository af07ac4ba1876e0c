"""Repeats of a night measure the noise and do not count in a score."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from monitor.domain.finding import Finding

from .nightly import RATES, Nightly

NIGHTS = 9


def played(folder: Path, *, repeats: int) -> Nightly:
    nightly = Nightly(folder)
    for turn in range(NIGHTS):
        drop = 0.2 if turn == NIGHTS - 1 else 0.0
        nightly.rng = np.random.default_rng(turn)  # the same passes, however many are asked again
        nightly.night(RATES - drop, repeats=repeats, repeat_offset=turn, version="B" if drop else "A")
    return nightly


def quietened(finding: Finding) -> Finding:
    assert finding.evidence is not None
    return replace(finding, id="", evidence=replace(finding.evidence, noise=None))


def test_scores_are_the_same_with_and_without_a_share_and_the_noise_is_not(tmp_path: Path) -> None:
    with_share, without = played(tmp_path / "a", repeats=15), played(tmp_path / "b", repeats=0)
    result, bare = with_share.findings(), without.findings()
    assert [quietened(finding) for finding in result[:-1]] == [quietened(finding) for finding in bare[:-1]]
    assert (result[-1].verdict, bare[-1].verdict) == ("regression", "regression")
    deltas = [finding.evidence.delta for finding in (result[-1], bare[-1]) if finding.evidence is not None]
    assert deltas[0] == deltas[1]
    assert deltas[0] is not None
    noise = [finding.evidence.noise for finding in (result[-1], bare[-1]) if finding.evidence is not None]
    assert noise[0] is not None
    assert noise[1] is not None
    assert (noise[0].repeats, noise[1].repeats) == (15 * (NIGHTS - 1), 0)
    assert noise[0].flip_rate == pytest.approx(2.0 * float((RATES * (1.0 - RATES)).mean()), abs=0.1)
    assert (noise[1].flip_rate, noise[1].within_interval) == (None, None)
    for each in (with_share, without):
        each.close()
