"""One process with a file is the default of the chart: what a lake needs changes no byte of its manifests."""

import json
from pathlib import Path

from tests.helm.chart import Chart, example
from tests.helm.file_mode import STORED, digests, rendered


def test_the_manifests_of_a_file_are_the_same_byte_for_byte(helm: Path) -> None:
    assert rendered(helm) == json.loads(STORED.read_text(encoding="utf-8"))


def test_a_changed_byte_is_found(chart: Chart) -> None:
    before = digests(chart.template(example("minimal")).stdout)
    after = digests(chart.template(example("minimal"), tmpSize="257Mi").stdout)
    assert {name for name in before if before[name] != after[name]} == {"StatefulSet/night-driftd"}
    assert len(before) == 10
