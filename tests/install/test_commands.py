"""The commands of docs/install.md and of the tutorials run as they are printed.

Only the machine differs: ports are free ones, and folders of the system are folders of the test.
"""

import json
import os
import re
import shutil
from pathlib import Path

import httpx
import pytest

from bench.drift_study.rivals.environment import RivalUnavailableError, cache_folder, installed_python
from tests.docs.markdown import ROOT, read
from tests.docs.shell import Shell
from tests.ports import free_port, free_ports

pytestmark = [pytest.mark.xdist_group("wheel"), pytest.mark.timeout(2400)]
INSTALL_S, DEMO_S = 1800.0, 900.0
FIRST_VERDICT, PRIVATE_EVAL = "first-verdict.md", "first-private-eval.md"

CHECKOUT = (
    "make demo",
    "make serve CONFIG=driftd.yaml",
    "make dist",
    "python3 -m venv driftd",
    "driftd/bin/pip install --no-deps --require-hashes -r requirements.lock",
    "driftd/bin/pip install --no-deps dist/driftd-*.whl",
)
FIRST_START = (
    "driftd init",
    "driftd check --token-file secrets/token",
    "driftd check",
    "driftd check --call-targets --notify",
)
DASHBOARD = (
    "driftd serve --dashboard",
    "driftd dashboard",
    "driftd dashboard --url http://127.0.0.1:8400 --port 8502 --open",
)
TOKENS = (
    "driftd tokens create collector --role ingest --expires-in 90d --token-file secrets/token",
    "driftd tokens create shop-team --role read --role review --deployment shop --token-file secrets/token",
    "driftd tokens list --token-file secrets/token",
    "driftd tokens rotate TOKEN --grace 24h --token-file secrets/token",
    "driftd tokens revoke TOKEN --token-file secrets/token",
)
COMPLETION = (
    """echo 'eval "$(_DRIFTD_COMPLETE=source_bash driftd)"' >> ~/.bashrc""",
    """echo 'eval "$(_DRIFTD_COMPLETE=source_zsh driftd)"' >> ~/.zshrc""",
    "_DRIFTD_COMPLETE=source_fish driftd > ~/.config/fish/completions/driftd.fish",
)
NOT_EXECUTED = {
    "pipx install dist/driftd-*.whl": "pipx resolves the newest versions, which are not the locked ones",
    "driftd demo": "tests/install/test_wheel.py runs it from the wheel",
    "docker build -t driftd .": "needs a container engine; .ci/image builds the image with buildah",
    "docker run --read-only --tmpfs /tmp -v driftd:/var/lib/driftd -v ./driftd:/etc/driftd:ro -p 8400:8400 "
    "-p 4318:4318 driftd": "needs a container engine; .ci/image starts the daemon on a read-only root",
    "docker run --read-only --tmpfs /tmp -p 8501:8501 driftd dashboard --host 0.0.0.0 "
    "--url http://DAEMON:8400": "needs a container engine",
    'kubectl create secret generic driftd --from-literal=ingest-token="$(openssl rand -hex 32)" '
    '--from-literal=reader-token="$(openssl rand -hex 32)"': "needs a cluster",
    "helm install driftd helm/driftd --values helm/driftd/examples/minimal.yaml "
    "--set image.repository=registry.example.com/driftd": "needs a cluster; tests/helm renders the example",
    "helm test driftd --logs": "needs a cluster; tests/helm/test_runs.py runs the program of the pod",
    "python3 -m venv /opt/driftd": "needs root; the same commands run in another folder",
    "/opt/driftd/bin/pip install dist/driftd-*.whl": "needs root; the same commands run in another folder",
    "useradd --system --home-dir /var/lib/driftd --create-home driftd": "needs root",
    "runuser -u driftd -- /opt/driftd/bin/driftd init /var/lib/driftd": "needs root",
    "cp deploy/driftd.service /etc/systemd/system/": "needs root; tests/install/test_service.py verifies the unit",
    "systemctl enable --now driftd": "needs root and a running systemd",
}
TEXT = re.compile(r"^(docker|kubectl|helm|echo|_DRIFTD_COMPLETE)\b")


def commands_of(page: str) -> list[str]:
    """Return the lines of shell fences, and the commands of text fences."""
    found = read(ROOT / "docs" / page)
    texts = [line.split("  #")[0].strip() for text in found.fences_of("text") for line in text.splitlines()]
    return [line for line in found.shell if line] + [line for line in texts if TEXT.match(line)]


def test_every_command_of_the_page_is_executed_or_has_a_reason() -> None:
    executed = {*CHECKOUT, *FIRST_START, *DASHBOARD, *TOKENS, *COMPLETION}
    assert executed.isdisjoint(NOT_EXECUTED)
    assert set(commands_of("install.md")) == executed | NOT_EXECUTED.keys()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    home = tmp_path / "home"
    (home / ".config/fish/completions").mkdir(parents=True)
    return Shell(tmp_path / "empty", {"HOME": str(home), "BROWSER": "true"})


def port_of(shell: Shell) -> str:
    """Return the port of the API in the configuration that `driftd init` wrote."""
    text = (shell.folder / "driftd.yaml").read_text()
    [port] = re.findall(r"^api:\n(?:  .*\n)*?  port: (\d+)", text, flags=re.MULTILINE)
    return str(port)


def test_the_first_configuration_is_written_and_checked(shell: Shell) -> None:
    for line in FIRST_START:
        said = shell.run(line)
    assert (shell.folder / "secrets/token").exists()
    assert "ok" in said
    assert "fail" not in said


def test_the_daemon_serves_the_dashboard_and_a_dashboard_finds_the_daemon(shell: Shell) -> None:
    shell.run("driftd init")
    api, (pages, more) = f"http://127.0.0.1:{port_of(shell)}", free_ports(2)
    together, alone, elsewhere = DASHBOARD
    health = f"http://127.0.0.1:{pages}/_stcore/health"
    with shell.serving(f"{together} --dashboard-port {pages}", f"{api}/readyz", health):
        for line in (
            f"{alone} --port {more}",
            elsewhere.replace("8502", str(more)).replace("http://127.0.0.1:8400", api),
        ):
            with shell.serving(line, f"http://127.0.0.1:{more}/_stcore/health"):
                assert httpx.get(f"http://127.0.0.1:{more}").status_code == 200


def test_tokens_are_created_replaced_and_revoked_while_the_daemon_runs(shell: Shell) -> None:
    create, limited, listing, rotate, revoke = TOKENS
    shell.run("driftd init")
    with shell.serving("driftd serve", f"http://127.0.0.1:{port_of(shell)}/readyz"):
        assert "driftd_" in shell.run(create)
        shell.run(limited)
        assert {"collector", "shop-team"} <= set(shell.run(listing).split())
        [token] = [one for one in json.loads(shell.run(f"{listing} --json"))["items"] if one["name"] == "collector"]
        assert "driftd_" in shell.run(rotate.replace("TOKEN", token["id"]))
        shell.run(revoke.replace("TOKEN", token["id"]))


def test_a_shell_completes_the_command(shell: Shell) -> None:
    for line in COMPLETION:
        shell.run(line)
    home = Path(shell.environment["HOME"])
    assert "_driftd_completion" in shell.run("source ~/.bashrc && complete -p driftd")
    assert "compdef" in shell.run("_DRIFTD_COMPLETE=source_zsh driftd")
    assert "source_zsh driftd" in (home / ".zshrc").read_text()
    assert "complete" in (home / ".config/fish/completions/driftd.fish").read_text()


@pytest.fixture
def checkout(tmp_path: Path, shell: Shell) -> Shell:
    """Return a shell in a copy of the checkout. The environments of this test take the place of those of make."""
    try:
        build = installed_python("build", lock=ROOT / "requirements-build.lock", cache=cache_folder()).parents[1]
    except RivalUnavailableError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    copy = tmp_path / "checkout"
    ignored = shutil.ignore_patterns(".venv", ".git", "__pycache__", "dist", "site", ".*_cache", "tests")
    shutil.copytree(ROOT, copy, ignore=ignored)
    (copy / ".venv/bin").mkdir(parents=True)
    for name in ("python", "driftd"):
        (copy / ".venv/bin" / name).symlink_to(shell.folder / "bin" / name)
    (copy / ".venv/build").mkdir()
    for each in build.iterdir():
        (copy / ".venv/build" / each.name).symlink_to(each)
    for stamp in (".run-stamp", ".dev-stamp", "build/.stamp"):
        (copy / ".venv" / stamp).touch()
    shell.folder = copy
    return shell


def test_make_demonstrates_and_serves(checkout: Shell) -> None:
    demo, serve, *_ = CHECKOUT
    assert "regression" in checkout.run(f"{demo} ARGS=--once", timeout_s=DEMO_S).lower()
    checkout.run("driftd init")
    with checkout.serving(serve, f"http://127.0.0.1:{port_of(checkout)}/readyz", codes=(-15, 2)):  # of make itself
        pass


def test_pip_installs_what_make_builds(checkout: Shell) -> None:
    _, _, dist, *installation = CHECKOUT
    for line in (dist, *installation):
        checkout.run(line, timeout_s=INSTALL_S)
    assert "serve" in checkout.run("driftd/bin/driftd --help")


def test_the_results_of_another_tool_lead_to_a_verdict(shell: Shell) -> None:
    demo, bring, verdict, serve = commands_of(FIRST_VERDICT)
    assert demo in CHECKOUT
    shell.run(bring.replace("RESULTS", str(ROOT / "examples/from-lm-eval")))
    assert "regression" in shell.run(verdict)
    api, pages = free_ports(2)
    (shell.folder / "driftd.yaml").write_text(
        f"api: {{port: {api}}}\ningest: {{otlp: {{port: {free_port()}}}, otlp_grpc: {{port: 0}}}}\n"
    )
    ready = f"http://127.0.0.1:{api}/readyz", f"http://127.0.0.1:{pages}/_stcore/health"
    with shell.serving(f"{serve} --dashboard-port {pages}", *ready):
        findings = httpx.get(f"http://127.0.0.1:{api}/api/v1/findings").json()["items"]
    assert any(found["verdict"] == "regression" for found in findings)


def test_the_tutorial_of_an_own_product_runs_in_two_terminals(tmp_path: Path, shell: Shell) -> None:
    enter, endpoint, *lines = commands_of(PRIVATE_EVAL)
    assert len(lines) == 7
    example = tmp_path / enter.removeprefix("cd ")
    shutil.copytree(ROOT / "examples/support-bot", example)
    shell.run(f"cd {tmp_path} && {enter}")
    shell.folder, port = example, str(free_port())
    config = example / "first-eval.yaml"
    config.write_text(
        config.read_text().replace("127.0.0.1:8000", f"127.0.0.1:{port}")
        + "api: {port: 0}\ningest: {otlp: {port: 0}, otlp_grpc: {port: 0}}\n"
    )
    with shell.serving(endpoint.replace("8000", port), f"http://127.0.0.1:{port}/v1/models"):
        said = [shell.run(line.replace("127.0.0.1:8000", f"127.0.0.1:{port}")) for line in lines]
    assert "insufficient" in said[-1]
