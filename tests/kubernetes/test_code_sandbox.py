"""Programs of models in a real cluster: what they can do, what they cannot, and what is left of them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from replay.sandbox.base import SandboxError
from replay.sandbox.kubernetes.job import SELECTOR
from replay.sandbox.kubernetes.sandbox import ClusterSandbox
from replay.sandbox.kubernetes.settings import ClusterSettings
from replay.sandbox.limits import Ending, Executed, SandboxLimits
from replay.scorers.code import Code, RemoteCode
from replay.scorers.table import build_scorer
from replay.types import Score
from tests.kubernetes.conftest import SPACE
from tests.kubernetes.node import Cluster
from tests.observability.real.prometheus import until
from tests.replay.sandbox.test_code import case
from tests.replay.scorers.builders import reply

pytestmark = pytest.mark.xdist_group("kubernetes")
LIMITS = SandboxLimits(seconds=10.0, cpu_seconds=4, output_kb=16)
WAIT_S = 120.0


def run(sandbox: ClusterSandbox, program: str, *, stdin: str = "", limits: SandboxLimits = LIMITS) -> Executed:
    return sandbox.submit(program, limits, stdin=stdin).result(WAIT_S)


def left(node: Cluster) -> list[str]:
    """Return the names of the Jobs, pods and Secrets of programs."""
    found = []
    for path in ("/apis/batch/v1/namespaces/{}/jobs", "/api/v1/namespaces/{}/pods", "/api/v1/namespaces/{}/secrets"):
        answer = node.server.client.get(path.format(SPACE), params={"labelSelector": SELECTOR}).raise_for_status()
        found += [item["metadata"]["name"] for item in answer.json()["items"]]
    return found


def test_a_program_has_input_output_and_an_exit_code(sandbox: ClusterSandbox) -> None:
    done = run(
        sandbox, "import sys\nprint(sys.stdin.read()[::-1])\nprint('x', file=sys.stderr)\nsys.exit(3)", stdin="äbc"
    )
    assert (done.ending, done.exit_code, done.stdout, done.stderr) == (Ending.EXITED, 3, "cbä\n", "x\n")


def test_many_programs_run_at_once_and_nothing_of_them_is_left(sandbox: ClusterSandbox, node: Cluster) -> None:
    running = [sandbox.submit("import sys\nprint(sys.stdin.read())", LIMITS, stdin=str(n)) for n in range(24)]
    assert [each.result(WAIT_S).stdout for each in running] == [f"{n}\n" for n in range(24)]
    until("Kubernetes removed everything", lambda: not left(node), 60)


@pytest.mark.parametrize(
    ("text", "label", "category"),
    [
        ("```python\ndef double(x):\n    return x + x\n```", "pass", "none"),
        ("def double(x): return int(x) * 2", "fail", "wrong_answer"),
        ("def double(x) return x", "fail", "code_error"),
        ("while True: pass", "fail", "timeout"),
        ("x = bytearray(2 ** 31)", "fail", "resource_limit"),
        ("while True: print('x' * 1000)", "fail", "resource_limit"),
        ("import os\nos.write(1, b'[null, null, null]')\nos._exit(0)", "fail", "code_error"),
        ("import os\nos.kill(os.getpid(), 9)", "fail", "resource_limit"),
    ],
)
def test_a_score_is_that_of_the_sandbox_of_this_machine(
    sandbox: ClusterSandbox, text: str, label: str, category: str
) -> None:
    scorer = build_scorer("code", {"timeout_s": 4})
    assert isinstance(scorer, Code)
    there = RemoteCode.of(scorer, sandbox)
    found: Score = there.score(case(), reply(text))
    assert (found.label, found.failure_category, found.scorer_version) == (label, category, scorer.version)


def test_a_program_finds_no_secret_and_no_network(sandbox: ClusterSandbox) -> None:
    done = run(
        sandbox,
        f"""
import glob, os, socket
for path in ("/proc/1/environ", "/proc/1/mem", "/proc/1/fd/1", "/proc/1/cwd/x"):
    try:
        open(path, "rb").read(1)
        print("read", path)
    except OSError:
        pass
for path in ("/proc/1/fd/1", "/usr/x", "/x"):
    try:
        open(path, "wb").write(b"x")
        print("wrote", path)
    except OSError:
        pass
print(glob.glob("/var/run/secrets/**/*", recursive=True), glob.glob("/run/secrets/**/*", recursive=True))
print([name for name in os.environ if name != "LC_CTYPE"])
for host in ({sandbox._cluster.url.split("/")[2].split(":")[0]!r}, "1.1.1.1"):
    try:
        socket.create_connection((host, 443), 1)
        print("reached", host)
    except OSError:
        pass
try:
    os.setuid(0)
    print("root")
except OSError:
    pass
print(os.getuid() >= 2_000_000_000)
""",
    )
    assert done.stdout.splitlines() == ["[] []", "[]", "True"], done


def test_a_program_cannot_end_or_replace_the_supervisor(sandbox: ClusterSandbox) -> None:
    done = run(
        sandbox,
        """
import os, signal
for number in range(1, 32):
    try:
        os.kill(1, number)
    except OSError as error:
        print(number, error)
print("alive", flush=True)
os.kill(-1, signal.SIGKILL)
""",
    )
    assert done.stdout.endswith("alive\n")
    assert done.ending is Ending.EXITED or done.ending is Ending.KILLED


def test_a_fork_bomb_stops_at_the_limit_of_processes(sandbox: ClusterSandbox) -> None:
    done = run(
        sandbox,
        """
import os, time
n = 0
try:
    while True:
        if os.fork() == 0:
            os.setsid()
            time.sleep(60)
        n += 1
except OSError:
    print(n)
""",
    )
    assert done.ending is Ending.EXITED
    assert 1 <= int(done.stdout) <= LIMITS.processes


def test_files_and_memory_of_all_processes_have_limits(sandbox: ClusterSandbox) -> None:
    files = run(
        sandbox,
        """
try:
    for n in range(100):
        open(f"/tmp/{n}", "wb").write(bytes(1 << 20))
except OSError as error:
    print(n, error.errno)
""",
    )
    written, number = files.stdout.split()
    assert int(written) <= LIMITS.files_mb
    assert number == "28"  # ENOSPC
    memory = run(
        sandbox,
        """
import os, time
for _ in range(5):
    if os.fork() == 0:
        x = bytearray(200 << 20)
        time.sleep(20)
time.sleep(20)
""",
    )
    assert memory.ending in (Ending.KILLED, Ending.TIMEOUT)
    assert memory.exit_code is None


def test_a_large_program_is_delivered_in_several_variables(sandbox: ClusterSandbox) -> None:
    text = os.urandom(180_000).hex()  # it does not compress to less than half
    done = run(sandbox, "import sys\nprint(len(sys.stdin.read()))", stdin=text)
    assert done.stdout == f"{len(text)}\n"
    with pytest.raises(SandboxError, match="a Secret has at most 1 MiB"):
        run(sandbox, "pass", stdin=os.urandom(600_000).hex())


def test_a_pod_that_is_removed_at_work_runs_again(sandbox: ClusterSandbox, node: Cluster) -> None:
    running = sandbox.submit("import time\ntime.sleep(4)\nprint('done')", LIMITS)
    path = f"/api/v1/namespaces/{SPACE}/pods"

    def at_work() -> list[str]:
        items = node.server.client.get(path).json()["items"]
        return [item["metadata"]["name"] for item in items if item["status"].get("phase") == "Running"]

    until("the program runs", lambda: bool(at_work()), 60)
    (pod,) = at_work()
    node.server.client.delete(f"{path}/{pod}", params={"gracePeriodSeconds": 0}).raise_for_status()
    assert running.result(WAIT_S).stdout == "done\n"


def test_an_api_server_that_is_frozen_for_some_seconds_loses_no_program(sandbox: ClusterSandbox, node: Cluster) -> None:
    port = node.server.url.rsplit(":", 1)[1]
    running = [sandbox.submit("import time\ntime.sleep(2)\nprint('done')", LIMITS) for _ in range(4)]
    time.sleep(1)
    found = subprocess.run(
        ["pgrep", "-f", f"^{node.binaries}/kube-apiserver.*--secure-port {port}"], capture_output=True, check=True
    )
    (process_id,) = map(int, found.stdout.split())
    os.kill(process_id, signal.SIGSTOP)
    time.sleep(6)
    os.kill(process_id, signal.SIGCONT)
    assert [each.result(WAIT_S).stdout for each in running] == ["done\n"] * 4


@contextmanager
def other(settings: ClusterSettings, **changes: object) -> Iterator[ClusterSandbox]:
    made = ClusterSandbox(replace(settings, **changes))  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.close()


def test_each_problem_of_a_cluster_is_named(settings: ClusterSettings, tmp_path: Path) -> None:
    missing = other(settings, image="driftd.test/missing:1", start_timeout_s=8.0)
    with missing as sandbox, pytest.raises(SandboxError, match=r"driftd.test/missing:1\): (ErrImage|ImagePull)"):
        sandbox.require()
    with (
        other(settings, namespace="elsewhere") as sandbox,
        pytest.raises(SandboxError, match=r"refuses to create jobs in the namespace 'elsewhere': 403 .*night-driftd"),
    ):
        sandbox.require()
    wrong = tmp_path / "token"
    wrong.write_text("wrong")
    with other(settings, token_file=wrong) as sandbox, pytest.raises(SandboxError, match="401 Unauthorized"):
        sandbox.require()
    with (
        other(settings, token_file=tmp_path / "missing") as sandbox,
        pytest.raises(SandboxError, match=r"sandbox\.token_file"),
    ):
        sandbox.require()
    with (
        other(settings, url="https://127.0.0.1:1") as sandbox,
        pytest.raises(SandboxError, match=r"https://127\.0\.0\.1:1"),
    ):
        sandbox.require()
    with (
        other(settings, runtime_class="missing", start_timeout_s=4.0) as sandbox,
        pytest.raises(SandboxError, match="RuntimeClass"),
    ):
        sandbox.require()


def test_a_namespace_with_a_network_is_refused(settings: ClusterSettings, node: Cluster) -> None:
    """The policy of the chart is there, but this network plugin does not enforce it."""
    node.connect_pods(reaches_node=True)
    try:
        with other(settings) as sandbox, pytest.raises(SandboxError, match=r"reach the network.*NetworkPolicy"):
            sandbox.require()
    finally:
        node.connect_pods(reaches_node=False)


def test_a_process_that_stops_gives_no_score(settings: ClusterSettings, node: Cluster) -> None:
    with other(settings) as sandbox:
        sandbox.require()
        running = sandbox.submit("import time\ntime.sleep(60)", replace(LIMITS, seconds=70.0))
        until("the program is there", lambda: bool(left(node)), 30)
    with pytest.raises(CancelledError):
        running.result(0)
    until("Kubernetes removed everything", lambda: not left(node), 60)


KILLED = """
import sys
from pathlib import Path
from replay.sandbox.kubernetes.sandbox import ClusterSandbox
from replay.sandbox.kubernetes.settings import ClusterSettings
from replay.sandbox.limits import SandboxLimits
url, token, ca, space, image = sys.argv[1:]
sandbox = ClusterSandbox(ClusterSettings(
    namespace=space, image=image, url=url, token_file=Path(token), ca_file=Path(ca), cpu="50m"))
sandbox.require()
print("ready", flush=True)
sandbox.submit("import time\\ntime.sleep(3)", SandboxLimits(seconds=5.0)).result()
"""


def test_kubernetes_removes_the_program_of_a_killed_process(settings: ClusterSettings, node: Cluster) -> None:
    command = [sys.executable, "-c", KILLED, settings.url, settings.token_file, settings.ca_file, SPACE, settings.image]
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        until("the program is there", lambda: any(name.startswith("driftd-code") for name in left(node)), 30)
        process.kill()
    jobs = node.server.client.get(f"/apis/batch/v1/namespaces/{SPACE}/jobs", params={"labelSelector": SELECTOR})
    (job,) = jobs.json()["items"]
    assert job["spec"]["ttlSecondsAfterFinished"] == 300
    assert job["spec"]["activeDeadlineSeconds"] < 200
    path = f"/apis/batch/v1/namespaces/{SPACE}/jobs/{job['metadata']['name']}"
    # As after five minutes: the Secret goes with the Job.
    node.server.client.delete(path, params={"propagationPolicy": "Background"}).raise_for_status()
    until("Kubernetes removed everything", lambda: not left(node), 60)
