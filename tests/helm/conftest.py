import os
from pathlib import Path

import pytest

from tests.helm.binary import find_helm, without_helm
from tests.helm.chart import Chart


@pytest.fixture(scope="session")
def helm() -> Path:
    return find_helm(os.environ) or without_helm(os.environ)


@pytest.fixture(scope="session")
def chart(helm: Path, tmp_path_factory: pytest.TempPathFactory) -> Chart:
    return Chart(helm=helm, folder=tmp_path_factory.mktemp("values"))
