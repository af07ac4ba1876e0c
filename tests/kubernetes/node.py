"""A real Kubernetes with one node: etcd, API server, controllers, scheduler, kubelet, containerd and runc."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

from tests.helm.real.api_server import TOKEN, ApiServer, process, running
from tests.kubernetes.network import PODS, Network, network
from tests.observability.real.prometheus import until

PYTHON = "driftd.test/python:1"
PAUSE = "driftd.test/pause:1"
NODE = "node"


def pod_network(*, reaches_node: bool) -> Mapping[str, Any]:
    """Return the configuration of a network in which pods reach the node and this machine, or nothing."""
    address: dict[str, Any] = {"type": "host-local", "ranges": [[{"subnet": PODS}]]}
    if reaches_node:
        address["routes"] = [{"dst": "0.0.0.0/0"}]
    plugin = {"type": "bridge", "bridge": "pods", "isGateway": reaches_node, "ipam": address}
    return {"cniVersion": "0.4.0", "name": "pods", "plugins": [plugin]}


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """`ca_file` has the authority of the API server."""

    server: ApiServer
    ca_file: Path
    network: Network
    folder: Path
    binaries: Path

    def ctr(self, *arguments: str | Path) -> str:
        command = [self.binaries / "ctr", "--address", self.folder / "containerd.sock", "-n", "k8s.io", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def connect_pods(self, *, reaches_node: bool) -> None:
        """Change the network of the pods that start from now on."""
        (self.folder / "networks/10-pods.conflist").write_text(json.dumps(pod_network(reaches_node=reaches_node)))
        sleep(2)  # containerd reads it

    def token(self, namespace: str, account: str, file: Path) -> Path:
        """Write a token of a service account, which is created."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts"
        self.server.post(path, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}})
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        answer = self.server.post(f"{path}/{account}/token", request).raise_for_status().json()
        file.write_text(answer["status"]["token"])
        return file


@contextmanager
def _cgroups(name: str) -> Iterator[None]:
    """Make a group for all pods in each hierarchy of cgroups, and remove it with those of the pods."""
    root = Path("/sys/fs/cgroup")
    trees = [root] if (root / "cgroup.controllers").exists() else [each for each in root.iterdir() if each.is_dir()]
    for tree in trees:
        (tree / name).mkdir()
    try:
        yield
    finally:
        for tree in trees:
            for group in [*sorted((tree / name).rglob("*/"), reverse=True), tree / name]:
                group.rmdir()


@contextmanager
def cluster(binaries: Path, folder: Path) -> Iterator[Cluster]:
    """Run a cluster in a network of its own, and yield it when its node is ready. Needs root.

    Its network plugin enforces no policies: pods reach nothing outside until `connect_pods` is called.
    """
    with ExitStack() as stack:
        net = stack.enter_context(network())
        stack.enter_context(_cgroups(net.name))
        server = stack.enter_context(running(binaries, folder, net))
        kubeconfig = _kubeconfig(folder, server)
        for name, options in {
            "kube-controller-manager": (
                "--service-account-private-key-file",
                folder / "accounts.pem",
                "--root-ca-file",
                folder / "authority.pem",
            ),
            "kube-scheduler": (),
        }.items():
            command = [binaries / name, "--kubeconfig", kubeconfig, "--leader-elect=false", *options]
            stack.enter_context(process(net.command(*command), folder / f"{name}.log"))
        made = Cluster(server=server, ca_file=folder / "authority.pem", network=net, folder=folder, binaries=binaries)
        stack.callback(_end_pods, made)
        stack.enter_context(process(net.command(*_containerd(binaries, folder)), folder / "containerd.log"))
        until("containerd answers", lambda: (folder / "containerd.sock").exists() and bool(made.ctr("version")))
        made.ctr("images", "import", binaries / "images.tar")
        kubelet = _kubelet(binaries, folder, net, kubeconfig)
        stack.enter_context(process(net.command(*kubelet), folder / "kubelet.log"))
        until("the node is ready", lambda: _ready(server), 90)
        yield made


def _kubeconfig(folder: Path, server: ApiServer) -> Path:
    path = folder / "kubeconfig"
    place = {"server": server.url, "certificate-authority": str(folder / "authority.pem")}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "it", "cluster": place}],
        "users": [{"name": "it", "user": {"token": TOKEN}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        "current-context": "it",
    }
    path.write_text(json.dumps(content))
    return path


def _containerd(binaries: Path, folder: Path) -> list[Any]:
    networks = folder / "networks"
    networks.mkdir()
    (networks / "10-pods.conflist").write_text(json.dumps(pod_network(reaches_node=False)))
    config = folder / "containerd.toml"
    config.write_text(f"""
version = 2
root = "{folder}/containerd"
state = "{folder}/containerd-state"
[grpc]
address = "{folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{PAUSE}"
enable_selinux = false
disable_apparmor = true
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{binaries}/cni"
conf_dir = "{networks}"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
BinaryName = "{binaries}/runc"
SystemdCgroup = false
""")
    path = f"PATH={binaries}:/usr/sbin:/usr/bin:/sbin:/bin"
    return ["env", path, binaries / "containerd", "--config", config]


def _kubelet(binaries: Path, folder: Path, net: Network, kubeconfig: Path) -> list[Any]:
    config = folder / "kubelet.json"
    content = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": net.inside,
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{net.name}",
        "containerRuntimeEndpoint": f"unix://{folder}/containerd.sock",
        "failSwapOn": False,
        "oomScoreAdj": 0,
        "imageGCHighThresholdPercent": 100,
        "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        "podPidsLimit": 64,
        "registerNode": True,
        "resolvConf": "",
        "staticPodPath": "",
        "volumePluginDir": str(folder / "volume-plugins"),
    }
    config.write_text(json.dumps(content))
    return [
        *("env", f"PATH={binaries}:/usr/sbin:/usr/bin:/sbin:/bin", binaries / "kubelet", "--config", config),
        *("--kubeconfig", kubeconfig, "--hostname-override", NODE, "--node-ip", net.inside),
        *("--root-dir", folder / "kubelet", "--cert-dir", folder / "kubelet-certificates"),
    ]


def _ready(server: ApiServer) -> bool:
    answer = server.client.get(f"/api/v1/nodes/{NODE}")
    if not answer.is_success:
        return False
    found = answer.json()
    ready = [each["status"] for each in found["status"]["conditions"] if each["type"] == "Ready"]
    return ready == ["True"] and not found["spec"].get("taints")


def _end_pods(made: Cluster) -> None:
    """End the containers that are left when kubelet and containerd have ended."""
    for process_id in subprocess.run(
        ["pgrep", "-f", f"containerd-shim.*{made.folder}"], capture_output=True, text=True, check=False
    ).stdout.split():
        subprocess.run(["kill", "-KILL", process_id], check=False)
    for line in Path("/proc/mounts").read_text().splitlines()[::-1]:
        if (place := line.split()[1]).startswith(str(made.folder)):
            subprocess.run(["umount", "--lazy", place], check=False)
