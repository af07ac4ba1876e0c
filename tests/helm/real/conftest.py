from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helm.real.api_server import ApiServer, running
from tests.helm.real.assets import folder_of

TOOLS = ("helm-unittest", "kubeconform", "kube-score", "definitions")


@pytest.fixture(scope="session")
def tools() -> Path:
    return folder_of(".ci/chart-tools", "CHART_TOOLS", *TOOLS)


@pytest.fixture(scope="session")
def api_server(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    assets = folder_of(".ci/apiserver", "KUBEBUILDER_ASSETS", "etcd", "kube-apiserver")
    with running(assets, tmp_path_factory.mktemp("api-server")) as server:
        server.define(sorted((tools / "definitions").glob("*.yaml")))
        yield server
