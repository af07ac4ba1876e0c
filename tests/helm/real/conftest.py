from pathlib import Path

import pytest

from tests.helm.real.assets import folder_of

TOOLS = ("helm-unittest", "kubeconform", "kube-score", "definitions")


@pytest.fixture(scope="session")
def tools() -> Path:
    return folder_of(".ci/chart-tools", "CHART_TOOLS", *TOOLS)
