"""One cluster for the tests of this folder, with the objects of the chart in the namespace of the sandbox."""

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from replay.sandbox.kubernetes.sandbox import ClusterSandbox
from replay.sandbox.kubernetes.settings import ClusterSettings
from tests.helm.binary import find_helm
from tests.helm.chart import Chart, example
from tests.helm.real.assets import folder_of
from tests.kubernetes.node import PYTHON, Cluster, cluster

SERVERS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "etcd")
RUNTIME = ("containerd", "runc", "images.tar")
SPACE = "driftd-code"
RELEASE = "driftd-release"
ACCOUNT = "night-driftd"


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    binaries = folder_of(".ci/kubernetes", "KUBERNETES", *SERVERS, *RUNTIME)
    with cluster(binaries, tmp_path_factory.mktemp("cluster")) as running:
        for name in (SPACE, RELEASE):
            running.server.namespace(name)
        yield running


@pytest.fixture(scope="session")
def settings(node: Cluster, tmp_path_factory: pytest.TempPathFactory) -> ClusterSettings:
    """Return the settings of a process with the service account of a release and the rights of the chart."""
    helm = find_helm(os.environ)
    assert helm is not None, "the chart needs helm"
    values = {"kind": "kubernetes", "namespace": SPACE, "image": PYTHON}
    rendered = Chart(helm=helm, folder=tmp_path_factory.mktemp("values")).render(
        example("minimal"), config={"sandbox": values}, namespace=RELEASE
    )
    for kind, plural in {"Role": "roles", "RoleBinding": "rolebindings", "NetworkPolicy": "networkpolicies"}.items():
        for item in rendered.of(kind):
            if item["metadata"].get("namespace") == SPACE:
                path = f"/apis/{item['apiVersion']}/namespaces/{SPACE}/{plural}"
                node.server.post(path, item).raise_for_status()
    return ClusterSettings(
        namespace=SPACE,
        image=PYTHON,
        url=node.server.url,
        token_file=node.token(RELEASE, ACCOUNT, tmp_path_factory.mktemp("token") / "token"),
        ca_file=node.ca_file,
        cpu="50m",
        start_timeout_s=60.0,
    )


@pytest.fixture(scope="session")
def sandbox(settings: ClusterSettings) -> Iterator[ClusterSandbox]:
    made = ClusterSandbox(replace(settings, at_once=16))
    yield made
    made.close()
